package stack

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWorkdirOfALivingRunIsNoLeftover(t *testing.T) {
	temp := t.TempDir()
	w, err := NewWorkdir(temp)
	require.NoError(t, err)
	assert.Equal(t, temp, filepath.Dir(w.Path))
	left, err := Leftovers(t.Context(), temp, false)
	require.NoError(t, err)
	assert.Empty(t, left)

	one, two := w.Unique("db"), w.Unique("db")
	assert.NotEqual(t, one, two)
	assert.Regexp(t, `^onedebit_\d+_db_1$`, one, "a name that any database takes without quotes")
	sub, err := w.Sub()
	require.NoError(t, err)
	assert.Equal(t, w.Path, filepath.Dir(sub))
	require.NoError(t, w.Remove())
	assert.NoDirExists(t, w.Path)
	entries, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing half-made beside it")
}

func TestWorkdirNeedsAFolder(t *testing.T) {
	_, err := NewWorkdir(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, ErrNotUp)
	require.ErrorContains(t, err, "TMPDIR chooses another")
}

// A run that dies lets go of its lock, whatever else it has left.
func TestLeftoversOfADeadRun(t *testing.T) {
	temp := t.TempDir()
	w, err := NewWorkdir(temp)
	require.NoError(t, err)
	sleeper := exec.Command("sleep", "600")
	sleeper.SysProcAttr = childAttributes()
	require.NoError(t, sleeper.Start())
	gone := make(chan error, 1)
	go func() { gone <- sleeper.Wait() }()
	w.Note(sleeper.Process.Pid)
	w.Note(1 << 30) // a number that nobody has
	_, err = w.list.WriteString("garbage\n12 \n" + "1 1\n")
	require.NoError(t, err)
	require.NoError(t, w.lock.Close()) // as the end of the process does

	left, err := Leftovers(t.Context(), temp, false)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, w.Path, left[0].Path)
	assert.Equal(t, []int{sleeper.Process.Pid}, left[0].Processes)
	require.NoError(t, left[0].Clean(t.Context()))
	require.Error(t, <-gone, "killed")
	assert.NoDirExists(t, w.Path)
}

// The number of a process that has ended may have been given to somebody else, who must not be harmed.
func TestAProcessThatIsAnotherByNowIsLeftAlone(t *testing.T) {
	list := filepath.Join(t.TempDir(), "processes")
	require.NoError(t, os.WriteFile(list, []byte("1 123456789\n"), 0o600))
	assert.Empty(t, alive(list))
	assert.Empty(t, alive(list+".none"))
}
