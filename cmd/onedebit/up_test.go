//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needed skips a test on a laptop that lacks something, and fails where everything is to be proved.
func needed(t *testing.T, err error, what string) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: %v", what, err)
	}
	t.Skipf("NOT TESTED: %s: %v", what, err)
}

// engineReady skips where containers of this test binary cannot be brought up.
func engineReady(t *testing.T) {
	t.Helper()
	out, err := exec.Command("onedebit", "doctor", "--runtime", "docker").CombinedOutput()
	if strings.Contains(string(out), "linked dynamically") {
		t.Skip("NOT TESTED: this test binary is linked dynamically, as the race detector needs it, and cannot be an image; make test builds one that can")
	}
	needed(t, err, "containers, which onedebit doctor says why they cannot be had:\n"+string(out))
}

func TestDoctorWithAnEngine(t *testing.T) {
	engineReady(t)
	p := inProcess(t)
	c := p.do(t, "doctor", "--runtime", "docker")
	assert.Equal(t, exitPass, c.code)
	for _, line := range []string{"docker: can be used", "✓ engine", "✓ image onedebit", "✓ published ports", "✓ packet loss"} {
		assert.Contains(t, c.stdout, line)
	}
	nothingInEngine(t, p.Temp)
}

// nothingInEngine holds that no container is left of runs with working folders below temp.
func nothingInEngine(t *testing.T, temp string) {
	t.Helper()
	out, err := exec.Command("docker", "ps", "-a", "--format", `{{.Label "onedebit.workdir"}}`).Output()
	needed(t, err, "the command docker")
	assert.NotContains(t, string(out), temp)
}

func TestUp(t *testing.T) {
	playByHand(t, []string{"up"}, "bank, its API", "bank, control", "database", "cache", "queue")
}

func TestUpInContainers(t *testing.T) {
	engineReady(t)
	temp := playByHand(t, []string{"up", "--runtime", "docker"}, "proxies, control", "postgres://onedebit:onedebit@127.", "amqp://", "redis://127.")
	nothingInEngine(t, temp)
}

// playByHand brings a stack up, finds words in what it prints, pays with the commands that it prints, and ends it. It
// returns the folder for temporary files.
func playByHand(t *testing.T, args []string, words ...string) (temp string) {
	_, err := exec.LookPath("curl")
	needed(t, err, "the command curl")
	temp = t.TempDir()
	cmd := exec.Command("onedebit", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	var said, typed strings.Builder
	var trace []string
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if line := strings.TrimSpace(lines.Text()); strings.Contains(line, "curl ") {
			typed.WriteString(line + "; echo\n")
		} else if words, found := strings.CutPrefix(line, "onedebit trace "); found {
			trace = append([]string{"trace"}, strings.Fields(words)...)
		}
		if strings.Contains(lines.Text(), "Ctrl-C ends it") {
			break
		}
	}
	for _, word := range words {
		assert.Contains(t, said.String(), word)
	}
	paid, err := exec.Command("sh", "-c", typed.String()).CombinedOutput()
	require.NoError(t, err, "%s\n%s\n%s", said.String(), typed.String(), paid)
	assert.Contains(t, string(paid), `"status":"SUCCESS"`)
	assert.Regexp(t, `"kind":"debit"[^}]*"amount":500`, string(paid), "the bank's ledger has the debit")
	told, err := exec.Command("onedebit", trace...).CombinedOutput()
	require.NoError(t, err, string(told))
	for _, word := range []string{"client → service", "log service", "service → bank", "debited ¥5.00", "row  ", "SUCCESS ¥5.00"} {
		assert.Contains(t, string(told), word)
	}

	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_, _ = io.Copy(io.Discard, stdout)
	assert.NoError(t, cmd.Wait(), "ending it is no error")
	assert.Contains(t, log.String(), "[SUCCESS]", "the service's log is there to be followed")
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	return temp
}
