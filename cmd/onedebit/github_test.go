package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
)

func TestGitHubIsToldWhereThisRunsThere(t *testing.T) {
	doc := &reports.Document{Version: reports.Version, Target: "shop", Scenarios: []reports.Scenario{
		{Name: "bank-answer-lost", Family: "bank", Verdict: reports.Fail, Reason: "100% wrong", Reproduce: "onedebit run bank-answer-lost"},
	}}
	doc.Summary, doc.Verdict = reports.Summarise(doc.Scenarios)
	summary := filepath.Join(t.TempDir(), "summary.md")
	require.NoError(t, os.WriteFile(summary, []byte("of another command\n"), 0o644))
	var stdout bytes.Buffer
	p := &process{Stdout: &stdout, Env: []string{"GITHUB_STEP_SUMMARY=" + summary}}
	require.NoError(t, p.toGitHub(&runFlags{}, doc))
	assert.Empty(t, stdout.String(), "this does not run there")

	p.Env = append(p.Env, "GITHUB_ACTIONS=true")
	require.NoError(t, p.toGitHub(&runFlags{}, doc))
	assert.Equal(t, "::error title=bank/bank-answer-lost::100%25 wrong%0Aagain: onedebit run bank-answer-lost\n", stdout.String())
	page, err := os.ReadFile(summary)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(page), "of another command\n# Payment fault-injection report: **FAIL**"))

	require.NoError(t, (&process{Stdout: &stdout, Env: []string{"GITHUB_ACTIONS=true"}}).toGitHub(&runFlags{}, doc), "a runner without summaries")
	p.Env = []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + filepath.Join(summary, "x")}
	require.ErrorContains(t, p.toGitHub(&runFlags{}, doc), "step summary of GitHub")
}
