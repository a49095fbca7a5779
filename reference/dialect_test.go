package reference

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opens tells for each URL whether a dialect takes it; no error shows the password.
func opens(t *testing.T, urls map[string]bool) {
	t.Helper()
	for address, good := range urls {
		cfg := Defaults()
		cfg.Database = address
		err := checkDatabase(cfg)
		assert.Equal(t, good, err == nil, "%s: %v", address, err)
		if err != nil {
			assert.NotContains(t, err.Error(), "secret", address)
		}
	}
}

func TestUnknownDatabase(t *testing.T) {
	opens(t, map[string]bool{"": false, "oracle://pay:secret@h/db": false, "pay:secret@h": false, "postgresql://pay:secret@h/db": false})
}

func TestShownIsWithoutPassword(t *testing.T) {
	assert.Equal(t, "mysql://pay:xxxxx@h:1/db", shown("mysql://pay:secret@h:1/db"))
	assert.NotContains(t, shown("mysql://pay:secret@h:port/db"), "secret")
}

func TestStoreBoundsOnlyServers(t *testing.T) {
	file, err := openStore("sqlite:///none.db", time.Second)
	require.NoError(t, err)
	server, err := openStore("postgres://pay@127.0.0.1:9/db", time.Second)
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()); assert.NoError(t, server.Close()) }()
	for store, bounded := range map[*Store]bool{file: false, server: true} {
		ctx, cancel := store.bounded(t.Context())
		_, has := ctx.Deadline()
		cancel()
		assert.Equal(t, bounded, has)
	}
}
