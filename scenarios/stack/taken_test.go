package stack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFolderHasOneWriter(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, Mine(dir))
	giveBack, err := TakeFolder(dir, "process 17")
	require.NoError(t, err)
	assert.True(t, Mine(dir))

	_, err = TakeFolder(dir, "process 18")
	require.ErrorIs(t, err, ErrNotUp)
	require.ErrorContains(t, err, "is being written by another run (process 17): wait until it has ended, or choose another folder")

	require.NoError(t, giveBack())
	giveBack, err = TakeFolder(dir, "process 18")
	require.NoError(t, err, "whoever has ended holds nothing")
	require.NoError(t, giveBack())
	_, err = TakeFolder(dir+"/none", "process 19")
	require.ErrorIs(t, err, ErrNotUp)
}
