package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTraceFitsTheScreenAndIsHarmless(t *testing.T) {
	o := doubleDebit().Orders[1]
	o.Timeline = append(o.Timeline, Event{AtMS: 14000, Who: "log " + evil, What: evil + strings.Repeat("long ", 200)})
	var screen, page bytes.Buffer
	require.NoError(t, TraceText(&screen, o, "of bank/bank-answer-lost", 80, false))
	for line := range strings.Lines(screen.String()) {
		assert.LessOrEqual(t, columns.StringWidth(strings.TrimSuffix(line, "\n")), 80, line)
	}
	for _, want := range []string{
		"order O-17 ¥5.00 of bank/bank-answer-lost\n", "   13.206 s ✗ debit ¥5.00 T-a772\n", "               SUCCESS ¥5.00 T-a772\n"[1:],
		"   12.031 s ! fault lost-answer ", "answer to debit 1 dropped",
	} {
		assert.Contains(t, screen.String(), want)
	}
	assert.NotContains(t, screen.String(), "\x1b")

	require.NoError(t, TraceMarkdown(&page, o, "of bank/bank-answer-lost"))
	assert.NotContains(t, page.String(), "<script")
	assert.Contains(t, page.String(), "| 12.031 s debit ¥5.00 T-9f01 | SUCCESS ¥5.00 T-a772 |")
	assert.Contains(t, page.String(), "| 12.031 | **fault lost-answer** |")
	rows := 0
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "|") {
			rows++
		}
	}
	assert.Equal(t, 2+2+2+len(o.Timeline), rows)

	screen.Reset()
	require.NoError(t, TraceText(&screen, Order{Order: "O-1"}, "", 80, false))
	assert.Equal(t, 2, strings.Count(screen.String(), "nothing"))
}
