package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// workPrefix is the label by which the working folders of all runs are known.
const workPrefix = "onedebit-run-"

// Workdir is the folder of one run in the system's temporary folder: databases, sockets, and the list of processes that
// the run has started. It is locked while its run lives, however that run ends, so that another can tell what was left
// behind.
type Workdir struct {
	Path string
	lock *os.File
	mu   sync.Mutex
	list *os.File
	made atomic.Int32 // names given out

	ownServers bool // the servers are the run's own
}

// NewWorkdir makes the folder of a run below temp. It gets the name by which others know it only once it is locked.
func NewWorkdir(temp string) (*Workdir, error) {
	hidden, err := os.MkdirTemp(temp, "."+workPrefix)
	if err != nil {
		return nil, fmt.Errorf("making a working folder in %s (is it writable? TMPDIR chooses another): %w: %w", temp, ErrNotUp, err)
	}
	w := &Workdir{Path: filepath.Join(temp, strings.TrimPrefix(filepath.Base(hidden), "."))}
	w.lock, err = os.OpenFile(filepath.Join(hidden, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = lockFile(w.lock)
	}
	if err == nil {
		w.list, err = os.OpenFile(filepath.Join(hidden, "processes"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err == nil {
		err = os.Rename(hidden, w.Path)
	}
	if err != nil {
		_ = os.RemoveAll(hidden)
		return nil, fmt.Errorf("making the working folder %s: %w: %w", w.Path, ErrNotUp, err)
	}
	return w, nil
}

// Sub makes a folder for one experiment.
func (w *Workdir) Sub() (string, error) {
	path, err := os.MkdirTemp(w.Path, "x-")
	if err != nil {
		return "", fmt.Errorf("making a folder in %s: %w: %w", w.Path, ErrNotUp, err)
	}
	return path, nil
}

// Unique is a name of letters, digits and underscores that no other part of this or another run uses on a shared server.
func (w *Workdir) Unique(what string) string {
	run := strings.TrimPrefix(filepath.Base(w.Path), workPrefix)
	return fmt.Sprintf("onedebit_%s_%s_%d", run, what, w.made.Add(1))
}

// Note writes down a process that the run has started.
func (w *Workdir) Note(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = fmt.Fprintf(w.list, "%d %s\n", pid, birth(pid))
}

// Remove deletes the folder and lets go of the lock.
func (w *Workdir) Remove() error {
	return errors.Join(w.list.Close(), w.lock.Close(), os.RemoveAll(w.Path))
}

// engineFile marks the folder of a run that has made things on a Docker engine.
const engineFile = "engine"

// onEngine notes that from now on the run makes things on a Docker engine, its servers among them.
func (w *Workdir) onEngine() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ownServers = true
	if err := os.WriteFile(filepath.Join(w.Path, engineFile), nil, 0o600); err != nil {
		return fmt.Errorf("writing down that an engine is used: %w: %w", ErrNotUp, err)
	}
	return nil
}

// birth is when a process was started, in the kernel's ticks, so that a process number that was given out again is not
// mistaken for the one that had it before. Empty where that cannot be told; such a process is never ended.
func birth(pid int) string { return processField(pid, 19) }

// processField is a field of what the kernel says of a process, counted from 0 behind the name; "" where it says nothing.
func processField(pid, n int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name stands in parentheses and may hold anything, parentheses too.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) <= n {
		return ""
	}
	return fields[n]
}
