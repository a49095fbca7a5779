//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boxed lists the containers or networks that runs with their working folder under temp have on the engine.
func boxed(t *testing.T, temp string, list ...string) (out []string) {
	t.Helper()
	said, err := exec.Command("docker", append(list, "--filter", "label=onedebit.run", "--format", `{{.ID}} {{.Label "onedebit.workdir"}}`)...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	for line := range strings.Lines(string(said)) {
		if id, workdir, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(workdir, temp) {
			out = append(out, id)
		}
	}
	return out
}

// A run that is killed leaves its containers behind. Two that come next, side by side, take them away between them, say so,
// and do not touch each other.
func TestRunsInContainersStandAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("the binary with the race detector fits into no image")
	}
	t.Parallel()
	if said, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "no Docker engine answers: %s", said)
		t.Skip("NOT TESTED: no Docker engine answers here")
	}
	const parts = 5 // three servers, bank and proxies in one, and the service
	dead := start(t, "run", "--runtime", "docker", "--plain", scenarioFile(t, "endless", endless))
	require.Eventually(t, func() bool { return len(boxed(t, dead.temp, "ps", "--no-trunc")) >= parts }, 3*patience, 100*time.Millisecond)
	require.NoError(t, dead.cmd.Process.Kill())
	_ = dead.cmd.Wait()
	require.NotEmpty(t, boxed(t, dead.temp, "network", "ls"))

	var next []*live
	said := make(chan string)
	for range 2 {
		l := start(t, "run", "--runtime", "docker", "--plain", "bank-answer-lost")
		next = append(next, l)
		go func() {
			var b strings.Builder
			for l.stderr.Scan() {
				b.WriteString(l.stderr.Text() + "\n")
			}
			said <- b.String()
		}()
	}
	words := <-said + <-said
	for _, l := range next {
		assert.NoError(t, l.cmd.Wait(), "both pass:\n%s", words)
	}
	assert.Contains(t, words, "removed what a dead run left behind: "+dead.temp, "what was left is told")
	for _, l := range append(next, dead) {
		assert.Empty(t, boxed(t, l.temp, "ps", "--all"))
		assert.Empty(t, boxed(t, l.temp, "network", "ls"))
	}
}
