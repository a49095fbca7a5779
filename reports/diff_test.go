package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func failing(family, name, check, says string) Scenario {
	s := passed(family, name)
	s.Verdict = Fail
	s.Checks = []Check{{Name: check, Invariant: "I1", Verdict: Fail, Findings: []Finding{{Payment: "O-1", Message: says}}}}
	return s
}

func resultOf(scenarios ...Scenario) *Document {
	d := base()
	d.Scenarios = scenarios
	return finish(d)
}

func twoRuns() (before, after *Document) {
	before = resultOf(failing("bank", "still", "one-debit", "2 debits"), failing("bank", "mended", "settles", "waits"), failing("bank", "gone", "settles", "waits"),
		passed("crash", "dropped"), passed("crash", "unclear"), skippedOne())
	unclear := undecided()
	unclear.Name = "unclear"
	after = resultOf(failing("bank", "still", "one-debit", "3 debits"), failing("bank", "still", "settles", evil), passed("bank", "mended"), unclear)
	after.Seed, after.Tool.Version = 2, "v0.4.0"
	return before, after
}

func TestCompareTellsNewFixedStillAndUncovered(t *testing.T) {
	d := Compare(twoRuns())
	assert.Equal(t, "1 new, 1 fixed, 1 still failing, 3 no longer covered", d.headline())
	assert.Equal(t, "bank/still: settles", d.New[0].String(), "another check of a scenario that failed before is new")
	assert.Equal(t, "bank/mended: settles", d.Fixed[0].String())
	assert.Equal(t, "bank/still: one-debit", d.Still[0].String())
	assert.Equal(t, []string{"bank/gone: not carried out", "crash/dropped: not carried out"}, d.Uncovered[:2])
	assert.Contains(t, d.Uncovered[2], "crash/unclear: inconclusive, the kill came after the last message")
	assert.Equal(t, []string{"onedebit: v0.3.0 (a1b2c3d) → v0.4.0", "seed: 8841723 → 2"}, d.Heads)
}

func TestComparisonIsHarmlessWhateverTheServiceSays(t *testing.T) {
	d := Compare(twoRuns())
	var screen, page bytes.Buffer
	require.NoError(t, DiffText(&screen, d, 80, true))
	assert.NotContains(t, strings.NewReplacer(red, "", green, "", yellow, "", plain, "").Replace(screen.String()), "\x1b")
	assert.Contains(t, screen.String(), "✗ new: bank/still: settles")
	for line := range strings.Lines(screen.String()) {
		if !strings.Contains(line, "onedebit run") {
			assert.LessOrEqual(t, columns.StringWidth(strings.NewReplacer(red, "", green, "", yellow, "", plain, "").Replace(strings.TrimSuffix(line, "\n"))), 80, line)
		}
	}
	require.NoError(t, DiffMarkdown(&page, d))
	assert.NotContains(t, page.String(), "<script")
	for _, heading := range []string{"## New\n", "## Fixed\n", "## Still failing\n", "## No longer covered\n"} {
		assert.Contains(t, page.String(), heading)
	}
}

func TestBaselineLetsOnlyNewFailuresCount(t *testing.T) {
	before, after := twoRuns()
	Against(after, before, "before/result.json")
	b := after.Baseline
	assert.False(t, after.OnlyKnown())
	assert.Equal(t, []string{"bank/still: settles"}, said(b.New))
	assert.Equal(t, []string{"bank/still: one-debit"}, said(b.Known))
	assert.Equal(t, []string{"bank/mended: settles"}, said(b.Fixed))
	assert.Equal(t, []string{"bank/gone: settles"}, said(b.Unseen))
	page := rendered(t, after)
	for _, want := range []string{"## Against the baseline", "1 new, 1 known, 1 fixed, 1 known and not looked at", "### Known and not looked at"} {
		assert.Contains(t, page, want)
	}

	again := resultOf(before.Scenarios...)
	Against(again, before, "before/result.json")
	assert.True(t, again.OnlyKnown())
	assert.Equal(t, Fail, again.Verdict, "what is known is no pass")
	var screen bytes.Buffer
	require.NoError(t, Terminal(&screen, again, "", 80, false))
	assert.Contains(t, screen.String(), "FAIL, ALL KNOWN")
	assert.Contains(t, screen.String(), "· 3 known: bank/gone: settles, bank/mended: settles")
	assert.NotContains(t, screen.String(), "✗ bank/still")
	for _, name := range []string{"junit", "ctrf", "html"} {
		format, err := Named(name)
		require.NoError(t, err)
		var known, fresh bytes.Buffer
		require.NoError(t, format.Render(&known, again))
		require.NoError(t, format.Render(&fresh, after))
		assert.Contains(t, fresh.String(), map[string]string{"junit": "<failure ", "ctrf": `"status": "failed"`, "html": "✗ 1 new"}[name])
		assert.NotContains(t, known.String(), map[string]string{"junit": "<failure ", "ctrf": `"status": "failed"`, "html": "✗ 1 new"}[name], "a pipeline stops at what is new only")
		assert.Contains(t, known.String(), map[string]string{"junit": "fails, as is known from before/result.json: ", "ctrf": "fails, as is known from before/result.json: ", "html": "· 3 known"}[name])
	}
	assert.False(t, resultOf(passed("a", "b")).OnlyKnown(), "without a baseline nothing is known")
}

func said(list []Failure) (out []string) {
	for _, f := range list {
		out = append(out, f.String())
	}
	return out
}
