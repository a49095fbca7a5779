package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// costly are examples that are only read, not carried out, each with the reason.
var costly = []struct{ begins, why string }{
	{"onedebit run --target ", "a service of one's own has to be there"},
	{"onedebit run callback", "a whole family"},
	{"onedebit run --mutant", "the whole catalogue"},
	{"onedebit mutants", "every mutant"},
	{"onedebit sweep", "every fault point"},
	{"onedebit up", "it lasts until Ctrl-C"},
	{"onedebit trace O-000042 --up", "a stack has to be up"},
	{"onedebit doctor", "the engine may not be there"},
	{"onedebit clean", "it would wait for other runs on the engine"},
	{"onedebit init", "it asks, and the files of a service have to be there"},
	{"onedebit probe", "a service of one's own has to be there"},
	{"onedebit targets", "a service of one's own has to be there"},
	{"onedebit run --watch", "it lasts until Ctrl-C"},
}

// exampleCommands are the examples in the help of every command.
func exampleCommands(t *testing.T, cmd *cobra.Command) (out []string) {
	t.Helper()
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		assert.NotEmpty(t, c.Example, "%s --help has no example", c.CommandPath())
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSpace(line)
			assert.NoError(t, takes(line), line)
			out = append(out, line)
		}
		out = append(out, exampleCommands(t, c)...)
	}
	return out
}

var repeats = regexp.MustCompile(` --repeat \d+`)

// Every example in a help is true: it is carried out in a folder that has what it speaks of.
func TestExamplesInTheHelpAreTrue(t *testing.T) {
	examples := exampleCommands(t, (&process{}).root())
	t.Chdir(t.TempDir())
	run := func(args ...string) console { return inProcess(t).do(t, append(args, "--quiet")...) }
	for _, out := range []string{"onedebit-out", "before", "after"} {
		require.Equal(t, exitPass, run("run", "bank-answer-lost", "--seed", "42", "--out", out).code)
	}
	for part, out := range map[string]string{"1/2": "part-1", "2/2": "part-2"} {
		require.Equal(t, exitPass, run("run", "second-while-held", "same-key-other-amount", "--seed", "42", "--shard", part, "--out", out).code)
	}
	c := inProcess(t).do(t, "scenarios", "show", "bank-answer-lost")
	require.NoError(t, os.WriteFile("bank-answer-lost.yaml", []byte(c.stdout), 0o600))
	own := strings.Replace(c.stdout, "name: bank-answer-lost", "name: my-scenario", 1)
	require.NoError(t, os.WriteFile("my-scenario.yaml", []byte(own), 0o600))
	for _, line := range examples {
		t.Run(line, func(t *testing.T) {
			for _, c := range costly {
				if strings.HasPrefix(line, c.begins) || line == "onedebit run" {
					return
				}
			}
			command, _, _ := strings.Cut(repeats.ReplaceAllString(line, ""), " >")
			c := inProcess(t).do(t, strings.Fields(command)[1:]...)
			assert.Equal(t, exitPass, c.code, c.stderr)
		})
	}
}

func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	p := inProcess(t)
	p.Env = append(p.Env, "SOURCE_DATE_EPOCH=1700000000")
	require.Equal(t, exitPass, p.do(t, "man", dir).code)
	for _, page := range []string{"onedebit.1", "onedebit-run.1", "onedebit-scenarios-show.1"} {
		assert.Contains(t, text(t, dir, page), `"Nov 2023"`)
	}
	assert.Contains(t, text(t, dir, "onedebit-run.1"), `onedebit run bank-answer-lost`)
	before := text(t, dir, "onedebit-run.1")
	require.Equal(t, exitPass, p.do(t, "man", dir).code)
	assert.Equal(t, before, text(t, dir, "onedebit-run.1"))
	p.Env = []string{"SOURCE_DATE_EPOCH=today"}
	assert.Equal(t, exitUsage, p.do(t, "man", dir).code)
}
