package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCacheFlush(t *testing.T) {
	reads(t, []string{"cache"}, sample{"cache-flush: {}", "the cache forgets everything"}, sample{"cache-flush:", "the cache forgets everything"})
	refuses(t,
		sample{"cache-flush: {key: a}", `s.yaml:1:15: unknown key "key"; none is valid here`},
		sample{"cache-flush: now", `s.yaml:1:14: expected nothing here, found "now"`})

	r := newRig(t)
	require.Equal(t, "+OK", r.redis("SET", r.id, "x"))
	require.Equal(t, "$1", r.redis("GET", r.id))
	a := r.arm("cache-flush: {}")
	require.Equal(t, "$-1", r.redis("GET", r.id))
	r.felt(a, 1, 0)
	r.await(a, 1, 0)
	require.NoError(t, a.Release(t.Context()))
	r.heal(a, 1)
	require.Equal(t, "$-1", r.redis("GET", r.id), "healing does not bring anything back")

	r.felt(r.arm("cache-flush: {}"), 0, 0) // there was nothing to forget
}
