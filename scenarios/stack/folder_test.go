//go:build unix

package stack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinkedFolder(t *testing.T) {
	of, at, kept := t.TempDir(), filepath.Join(t.TempDir(), "at"), filepath.Join(t.TempDir(), "kept.db")
	for path, text := range map[string]string{"main.py": "code", ".env": "theirs", "data/shop.db": "old", "data/shop.db-wal": "old", "data/seed.csv": "1", "lib/a.py": "a"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(of, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(of, path), []byte(text), 0o600))
	}
	require.NoError(t, linkedFolder(at, of, map[string]string{".env": "ours", "config/new/app.yaml": "made"}, map[string]string{"data/shop.db": kept}))
	for path, want := range map[string]string{"main.py": "code", ".env": "ours", "config/new/app.yaml": "made", "data/seed.csv": "1", "lib/a.py": "a"} {
		got, err := os.ReadFile(filepath.Join(at, path))
		require.NoError(t, err, path)
		assert.Equal(t, want, string(got), path)
	}
	for _, path := range []string{"data/shop.db", "data/shop.db-wal"} {
		_, err := os.Stat(filepath.Join(at, path))
		require.ErrorIs(t, err, os.ErrNotExist, "%s is not made yet, whatever its programmer has", path)
	}
	require.NoError(t, os.WriteFile(filepath.Join(at, "data/shop.db"), []byte("new"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(at, "data/shop.db-wal"), []byte("new"), 0o600))
	got, err := os.ReadFile(kept)
	require.NoError(t, err)
	assert.Equal(t, "new", string(got), "several processes share it")
	for path, want := range map[string]string{".env": "theirs", "data/shop.db": "old", "data/shop.db-wal": "old"} {
		got, err := os.ReadFile(filepath.Join(of, path))
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "the programmer's own %s", path)
	}
	entries, err := os.ReadDir(of)
	require.NoError(t, err)
	assert.Len(t, entries, 4, "nothing new in the programmer's folder")

	require.ErrorContains(t, linkedFolder(filepath.Join(t.TempDir(), "x"), of, map[string]string{"../out": ""}, nil), "within its folder")
}
