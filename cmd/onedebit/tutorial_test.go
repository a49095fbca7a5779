package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	tutorialBlock = regexp.MustCompile("(?s)```(sh|yaml)\n(.*?)```")
	exitsWith     = regexp.MustCompile(` # exits (\d+)$`)
)

// Whoever types what the tutorial says gets what the tutorial says: each command in its order, each with its exit code, and
// the part of the file that is to be written in between.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("the run is a process of its own, of which the race detector would see nothing")
	}
	t.Parallel()
	needs(t, "python3")
	_, page, _ := strings.Cut(text(t, services+"/README.md"), "<!-- tutorial -->")
	page, _, found := strings.Cut(page, "<!-- end of tutorial -->")
	require.True(t, found)
	blocks := tutorialBlock.FindAllStringSubmatch(page, -1)
	require.GreaterOrEqual(t, len(blocks), 5)
	root := filepath.Join(t.TempDir(), "repository")
	require.NoError(t, os.CopyFS(filepath.Join(root, "scenarios/targets/testdata/examples"), os.DirFS(services+"/testdata/examples")))
	var script strings.Builder
	for i, block := range blocks {
		if block[1] == "yaml" {
			part := filepath.Join(root, fmt.Sprintf("part-%d", i))
			require.NoError(t, os.WriteFile(part, []byte(block[2]), 0o644))
			key, _, _ := strings.Cut(block[2], ":")
			fmt.Fprintf(&script, "sed -i.before '/^%s:/,$d' onedebit.yaml && cat %q >> onedebit.yaml || exit 90\n", key, part)
			continue
		}
		for line := range strings.Lines(block[2]) {
			line, want := strings.TrimSpace(line), "0"
			if m := exitsWith.FindStringSubmatch(line); m != nil {
				want = m[1]
			}
			fmt.Fprintf(&script, "echo; echo '$' %s\n%s\ncode=$?; [ $code = %s ] || { echo exit code $code, not %s; exit 99; }\n", shellQuoted(line), line, want, want)
		}
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, line := range []string{"nothing is missing: onedebit run can begin", "was taken twice", "✗ bank/bank-answer-lost", "2 scenarios"} {
		assert.Contains(t, string(out), line)
	}
}

// needs skips a test where a program is not there, which CI must have.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s is not on the PATH", program)
		t.Skipf("NOT TESTED: %s is not on the PATH", program)
	}
}
