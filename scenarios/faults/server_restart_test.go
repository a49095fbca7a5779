package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerRestart(t *testing.T) {
	reads(t, []string{"cache"},
		sample{"server-restart: {server: cache, lose: true}", "the server of link cache is killed and comes back empty"},
		sample{"server-restart: {server: cache}", "the server of link cache is killed and started again"})
	reads(t, []string{"db"}, sample{"server-restart: {server: db}", "the server of link db is killed and started again"})
	refuses(t,
		sample{"server-restart: {}", `s.yaml:1:17: server: say which server is restarted`},
		sample{"server-restart: {server: cash}", `s.yaml:1:17: server: unknown server "cash"; did you mean "cache"?`},
		sample{"server-restart: {server: db, lose: true}", `s.yaml:1:17: lose: only a cache may lose what it had; no service is right without its database, or a broker that keeps what it has confirmed`})

	r := newRig(t)
	require.Equal(t, "+OK", r.redis("SET", r.id, "x"))
	r.heal(r.arm("server-restart: {server: cache}"), 1)
	require.Equal(t, "$1", r.redis("GET", r.id), "what it had is there again")
	r.heal(r.arm("server-restart: {server: cache, lose: true}"), 1)
	require.Equal(t, "$-1", r.redis("GET", r.id))
}
