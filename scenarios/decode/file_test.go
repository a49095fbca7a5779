package decode_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/decode"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.yaml")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	data, err := decode.ReadFile("scenario", path)
	require.NoError(t, err)
	assert.Equal(t, "x", string(data))

	none := filepath.Join(dir, "none")
	_, err = decode.ReadFile("scenario", none)
	require.EqualError(t, err, "reading scenario "+none+": no such file or directory")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, other := range []string{dir, "/dev/zero"} {
		_, err = decode.ReadFile("target", other)
		require.EqualError(t, err, "reading target "+other+": it is not a regular file")
	}
}
