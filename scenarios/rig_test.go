package scenarios

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// testSeed is the seed of the experiments in tests.
const testSeed = 4711

// pace is by how much tests shorten real-life durations, and how many experiments they run side by side. The race detector
// and a busy machine slow the code down and not the clock, so it is less than a run does.
func pace() (speed float64, parallel int) {
	if detector {
		return 5, 3
	}
	return 10, 6
}

// service is the binary that is the service under test: these tests themselves, without the race detector. The service has
// tests of its own for that, and its embedded database is too slow under it to keep real-life time-outs apart.
var service = sync.OnceValues(func() (path string, err error) {
	if !detector {
		return os.Executable()
	}
	if built, err = os.MkdirTemp("", "onedebit-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "service")
	build := exec.Command("go", "test", "-c", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the service under test: %w: %s", err, out)
	}
	return path, nil
})

// built is the folder of the service's binary, where one was built. TestMain removes it.
var built string

// watcher is a Progress that remembers, and calls back.
type watcher struct {
	phase func(job Job, what string) // may be nil

	mu    sync.Mutex
	begun []string
	ended []string
}

func (w *watcher) Begin(job Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = append(w.begun, job.String())
}

func (w *watcher) Phase(job Job, what string) {
	if w.phase != nil {
		w.phase(job, what)
	}
}

func (w *watcher) End(job Job, _ *reports.Scenario) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, job.String())
}

// written reads a scenario out of a test.
func written(t testing.TB, text string) *Scenario {
	t.Helper()
	s, err := Load("test.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

// known is a scenario of the catalogue.
func known(t testing.TB, name string) *Scenario {
	t.Helper()
	list, err := Find([]string{name})
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

// rig is the options of a run against the reference, with folders of the test.
func rig(t testing.TB, list ...*Scenario) Options {
	t.Helper()
	self, err := service()
	require.NoError(t, err)
	speed, parallel := pace()
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	return Options{
		Jobs: Plan(list, 1, ""), Target: target, Runtime: stack.Embedded, Seed: testSeed, Speed: speed, Repeat: 1, Parallel: parallel,
		Out: t.TempDir(), Self: []string{self, "serve"}, Env: os.Environ(), Temp: t.TempDir(), Now: time.Now,
		Progress: &watcher{}, Tool: reports.Tool{Name: "onedebit", Version: "test"},
	}
}

// carry runs, and demands that nothing is left behind however the run went.
func carry(t testing.TB, ctx context.Context, o Options) *reports.Document {
	t.Helper()
	doc, err := Run(ctx, o)
	require.NoError(t, err)
	left, err := os.ReadDir(o.Temp)
	require.NoError(t, err)
	require.Empty(t, left, "the working folder is gone")
	if o.Out != "" {
		for _, s := range doc.Scenarios {
			if s.History != "" {
				requireGone(t, load(t, o, s))
			}
		}
	}
	return doc
}

// load reads the history of a result back from disk.
func load(t testing.TB, o Options, s reports.Scenario) *history.History {
	t.Helper()
	h, err := history.Load(filepath.Join(o.Out, filepath.FromSlash(s.History)))
	require.NoError(t, err)
	return h
}

// requireGone demands that every process that a history has seen start has also been seen to end.
func requireGone(t testing.TB, h *history.History) {
	t.Helper()
	var alive []int
	for _, p := range h.Processes() {
		switch p.V.What {
		case "started":
			alive = append(alive, p.V.PID)
		case "exited":
			alive = slices.DeleteFunc(alive, func(pid int) bool { return pid == p.V.PID })
		}
	}
	require.Empty(t, alive, "processes of the target that were not reaped")
}

// check is the outcome of one check of a result.
func check(t testing.TB, s reports.Scenario, name string) reports.Check {
	t.Helper()
	for _, c := range s.Checks {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no such check in the result", name)
	return reports.Check{}
}

// failed are the names of the checks that failed.
func failed(s reports.Scenario) []string {
	var out []string
	for _, c := range s.Checks {
		if c.Verdict == reports.Fail {
			out = append(out, c.Name)
		}
	}
	return out
}
