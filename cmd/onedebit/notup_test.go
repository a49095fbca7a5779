package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reports"
)

// A service that does not come up is trouble of the environment, and what it said last is all that helps.
func TestServiceThatDoesNotComeUp(t *testing.T) {
	p := inProcess(t)
	out := filepath.Join(t.TempDir(), "out")
	p.Self = []string{"/bin/sh", "-c", `echo "listening"; printf 'cannot open the\033[2J database\n'; exit 3`, "sh"}

	c := p.do(t, "run", "second-while-held", "fifty-at-once", "--out", out)

	assert.Equal(t, exitEnvironment, c.code)
	assert.Contains(t, c.stderr, "the last words of the service in submit/")
	assert.Contains(t, c.stderr, "  | listening\n  | cannot open the�[2J database\n")
	assert.NotContains(t, c.stderr, "\x1b")
	assert.Contains(t, c.stdout, "the environment failed in 2 trials; that says nothing about the target")
	assert.Contains(t, text(t, out, reports.Markdown.File), "database")
	assert.Contains(t, text(t, out, reports.JUnit.File), "<error ")
	doc := result(t, out)
	assert.Equal(t, reports.Inconclusive, doc.Verdict)
	for _, s := range doc.Scenarios {
		assert.True(t, s.Environment, s.Name)
	}
	left, err := filepath.Glob(filepath.Join(p.Temp, "*"))
	assert.NoError(t, err)
	assert.Empty(t, left)
}

// Mutants that were never under test neither die nor survive.
func TestMutantsThatDoNotComeUp(t *testing.T) {
	p := inProcess(t)
	out := filepath.Join(t.TempDir(), "out")
	p.Self = []string{"/nonexistent/onedebit", "serve"}

	c := p.do(t, "mutants", "inflight-is-fail", "--out", out)

	assert.Equal(t, exitEnvironment, c.code)
	assert.Contains(t, c.stdout, "ENVIRONMENT ERROR")
	assert.Contains(t, text(t, out, "mutants.md"), "inflight-is-fail")
}
