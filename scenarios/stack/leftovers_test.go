package stack

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLeasesAreWrittenDown(t *testing.T) {
	w, err := NewWorkdir(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Remove() })
	assert.Empty(t, leases(w.Path))
	l := lease{Kind: leaseDatabase, Server: "postgres://u:secret@127.0.0.1:1/postgres", Name: "onedebit_1_db_1"}
	require.NoError(t, w.lease(l))
	assert.Equal(t, []lease{l}, leases(w.Path))
	if info, err := os.Stat(w.Path + "/" + leaseFile); assert.NoError(t, err) {
		assert.Zero(t, info.Mode().Perm()&0o077, "there is a password in it")
	}
	assert.NotContains(t, l.end().Error(), "secret", "the server is not there, and the error keeps the password")
	require.NoError(t, w.onEngine())
	require.NoError(t, w.lease(l))
	assert.Len(t, leases(w.Path), 1, "servers of the run's own go as a whole")
}

// What a run that lives has made on an engine must be left alone, and so must that of another machine.
func TestDeadHere(t *testing.T) {
	temp := t.TempDir()
	w, err := NewWorkdir(temp)
	require.NoError(t, err)
	assert.False(t, deadHere(thisHost(), w.Path), "it lives")
	assert.False(t, deadHere("boot/elsewhere", w.Path+"0"), "of another machine")
	assert.False(t, deadHere(thisHost(), ""), "not ours")
	assert.False(t, deadHere(thisHost(), temp), "not ours")
	name, err := os.Hostname()
	require.NoError(t, err)
	assert.True(t, deadHere("an earlier boot/"+name, w.Path))
	require.NoError(t, w.lock.Close())
	assert.True(t, deadHere(thisHost(), w.Path), "nobody holds its lock")
	require.NoError(t, os.RemoveAll(w.Path))
	assert.True(t, deadHere(thisHost(), w.Path), "it is gone")
}
