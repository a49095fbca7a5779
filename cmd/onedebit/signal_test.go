//go:build linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// endless is a scenario that is still under way whenever a test looks.
const endless = `title: A customer pays, and waits for hours
steps:
  - pay: {}
  - wait: 100h
`

// patience bounds every wait of these tests; only a defect takes so long.
const patience = time.Minute

// live is an onedebit under way, in folders of its own.
type live struct {
	cmd       *exec.Cmd
	stderr    *bufio.Scanner
	temp, out string
}

func start(t *testing.T, args ...string) *live {
	t.Helper()
	l := &live{temp: t.TempDir(), out: filepath.Join(t.TempDir(), "out")}
	l.cmd = exec.Command("onedebit", append(args, "--out", l.out)...)
	l.cmd.Env = append(os.Environ(), "TMPDIR="+l.temp)
	stderr, err := l.cmd.StderrPipe()
	require.NoError(t, err)
	l.stderr = bufio.NewScanner(stderr)
	require.NoError(t, l.cmd.Start())
	t.Cleanup(func() { _ = l.cmd.Process.Kill() })
	return l
}

// says waits until a line of the progress holds a text.
func (l *live) says(t *testing.T, text string) {
	t.Helper()
	for l.stderr.Scan() {
		if strings.Contains(l.stderr.Text(), text) {
			return
		}
	}
	require.Fail(t, "onedebit has ended without saying "+text)
}

// children waits until so many processes of services have been started, and returns their numbers.
func (l *live) children(t *testing.T, n int) (pids []int) {
	t.Helper()
	require.Eventually(t, func() bool {
		pids = nil
		lists, _ := filepath.Glob(filepath.Join(l.temp, "onedebit-run-*", "processes"))
		for _, list := range lists {
			data, _ := os.ReadFile(list)
			for line := range strings.Lines(string(data)) {
				var pid int
				var born string
				if k, _ := fmt.Sscanf(line, "%d %s\n", &pid, &born); k == 2 {
					pids = append(pids, pid)
				}
			}
		}
		return len(pids) >= n
	}, patience, 5*time.Millisecond)
	return pids
}

// state is the kernel's letter for a process and when it was started; both are "" where there is none.
func state(pid int) (letter, born string) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", ""
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	return fields[0], fields[19]
}

// gone waits until a process is no more than an entry that its parent has yet to read.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		assert.Eventually(t, func() bool {
			letter, _ := state(pid)
			return letter == "" || letter == "Z"
		}, patience, 5*time.Millisecond, "process %d", pid)
	}
}

// stands waits until every thread of a process stands still. Only then does the kernel count it as stopped, and hangs up on
// it when it loses its parent; a signal that was sent is not one that has arrived.
func stands(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, thread := range threads {
			data, _ := os.ReadFile(thread)
			if !strings.Contains(string(data), ") T ") {
				return false
			}
		}
		return len(threads) > 0
	}, patience, 5*time.Millisecond, "process %d", pid)
}

// again runs a further onedebit with the same folder for temporary files.
func (l *live) again(t *testing.T, args ...string) console {
	t.Helper()
	var c console
	var stdout, stderr strings.Builder
	cmd := exec.Command("onedebit", args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "TMPDIR="+l.temp), &stdout, &stderr
	_ = cmd.Run()
	c.code, c.stdout, c.stderr = cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	return c
}

func (l *live) left(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(l.temp, "*"))
	require.NoError(t, err)
	return left
}

// Ctrl-C ends a run in order: what had ended is reported, what was under way is kept as far as it got, nothing is left.
func TestInterrupt(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			l := start(t, "run", "second-while-held", scenarioFile(t, "endless", endless), scenarioFile(t, "never-begun", endless), "--parallel", "2")
			l.says(t, "[1/3] ✓ pass")
			pids := l.children(t, 2)
			require.NoError(t, l.cmd.Process.Signal(sig))
			for l.stderr.Scan() { // to its end, so that the process can end
			}
			_ = l.cmd.Wait()

			assert.Equal(t, exitInterrupted, l.cmd.ProcessState.ExitCode())
			gone(t, pids...)
			assert.Empty(t, l.left(t))
			assert.Contains(t, text(t, l.out, reports.Markdown.File), "INTERRUPTED")
			doc := result(t, l.out)
			assert.True(t, doc.Interrupted)
			assert.Equal(t, reports.Pass, doc.Scenarios[0].Verdict)
			assert.Equal(t, reports.Inconclusive, doc.Scenarios[1].Verdict)
			assert.Equal(t, "interrupted", doc.Scenarios[1].Error)
			for _, s := range doc.Scenarios {
				h, err := history.Load(filepath.Join(l.out, s.History))
				require.NoError(t, err, s.Name)
				assert.Equal(t, s.Name, h.Plan().Scenario)
			}
		})
	}
}

// kill -9 of the harness takes the service with it, even one that stands still: its standard input ends, and the kernel
// hangs up on what is stopped without a parent. What stays is the folder.
func TestCleanAfterKill(t *testing.T) {
	l := start(t, "run", scenarioFile(t, "endless", endless))
	pid := l.children(t, 1)[0]
	assert.Equal(t, console{0, "nothing was left behind\n", ""}, l.again(t, "clean"), "a run that lives is left alone")
	letter, _ := state(pid)
	require.NotEmpty(t, letter)

	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	stands(t, pid)
	require.NoError(t, l.cmd.Process.Kill())
	_ = l.cmd.Wait()
	gone(t, pid)
	require.Len(t, l.left(t), 1)

	c := l.again(t, "clean")
	assert.Equal(t, exitPass, c.code, c.stderr)
	assert.Regexp(t, `^removed .*/onedebit-run-\d+`, c.stdout)
	assert.Empty(t, l.left(t))
	assert.Equal(t, console{0, "nothing was left behind\n", ""}, l.again(t, "clean"))
}

// A process that clings to life is ended by clean, but not one that has only inherited the number of one that is gone.
func TestCleanEndsProcesses(t *testing.T) {
	l := &live{temp: t.TempDir()}
	folder := filepath.Join(l.temp, "onedebit-run-1")
	require.NoError(t, os.Mkdir(folder, 0o755))
	list := ""
	var pids []int
	for _, later := range []string{"", "0"} {
		cmd := exec.Command("sleep", "600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		_, born := state(cmd.Process.Pid)
		list += fmt.Sprintf("%d %s%s\n", cmd.Process.Pid, born, later)
		pids = append(pids, cmd.Process.Pid)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "processes"), []byte(list), 0o600))

	assert.Equal(t, console{0, "removed " + folder + " and 1 process\n", ""}, l.again(t, "clean"))
	gone(t, pids[0])
	letter, _ := state(pids[1])
	assert.Contains(t, "RS", letter)
	assert.NotEmpty(t, letter)
	assert.Empty(t, l.left(t))
}

// Nobody has to know about clean: the next run does it, and says so.
func TestNextRunCleans(t *testing.T) {
	l := start(t, "run", scenarioFile(t, "endless", endless))
	pid := l.children(t, 1)[0]
	require.NoError(t, l.cmd.Process.Kill())
	_ = l.cmd.Wait()
	gone(t, pid)
	folder := l.left(t)
	require.Len(t, folder, 1)

	c := l.again(t, "run", "second-while-held", "--out", l.out)
	assert.Equal(t, exitPass, c.code, c.stdout+c.stderr)
	assert.Contains(t, c.stderr, "removed what a dead run left behind: "+folder[0])
	assert.Empty(t, l.left(t))
}
