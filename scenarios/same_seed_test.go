package scenarios

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
)

// untimed is a report without what stands between its marks of times.
func untimed(t *testing.T, doc *reports.Document) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, reports.Markdown.Render(&page, doc))
	return regexp.MustCompile(`(?s)<!-- times -->.*?<!-- end of times -->`).ReplaceAllString(page.String(), "")
}

// The same seed gives the same report, byte for byte, but for the times in it: of services that are right, and of those whose
// wrong turn no race decides.
func TestTheSameSeedGivesTheSameReport(t *testing.T) {
	names := map[string]string{
		"bank-answer-lost": "", "fifty-at-once": "", "twin-notifications": "", "success-then-fail": "fail-over-success",
		"same-key-other-amount": "same-key-other-body", "fresh-key-per-click": "", "bank-packet-loss": "", "second-while-held": "inflight-is-fail",
	}
	run := func() string {
		o := rig(t)
		for _, s := range slices.Sorted(maps.Keys(names)) {
			o.Jobs = append(o.Jobs, Job{Scenario: known(t, s), Trial: 1, Mutant: names[s]})
		}
		return untimed(t, carry(t, t.Context(), o))
	}
	first := run()
	assert.Contains(t, first, "## What went wrong")
	assert.Equal(t, first, run())
}
