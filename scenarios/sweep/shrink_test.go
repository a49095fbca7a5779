package sweep

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
)

const tooMuch = `name: too-much
title: Much happens, and little of it matters
steps:
  - fault: {cache-flush: {}}
  - fault: {lost-answer: {link: bank, message: debit}, as: lost}
  - fault: {delay: {link: callback, by: 1s}, as: late}
  - burst: {of: A, copies: 50, keys: same}
  - pay: {retries: {backoff: 1s, max: 3}}
  - heal: lost
  - await: {fault: late}
  - heal: late
  - pay: {of: B}
`

func TestShrinkKeepsWhatTheFailureNeeds(t *testing.T) {
	s, err := scenarios.Load("too-much.yaml", []byte(tooMuch))
	require.NoError(t, err)
	tried := 0
	least, err := Shrink(t.Context(), s, func(_ context.Context, c *scenarios.Scenario) (bool, error) {
		tried++
		return strings.Contains(c.Source, "lost-answer") && strings.Contains(c.Source, "burst"), nil
	})
	require.NoError(t, err)
	assert.Equal(t, `name: too-much
title: Much happens, and little of it matters
steps:
  - fault: {lost-answer: {link: bank, message: debit}, as: lost}
  - burst: {of: A, copies: 2, keys: same}
`, least.Source)
	assert.LessOrEqual(t, tried, mostShrinks)
}

func TestShrinkLeavesAloneWhatIsLeast(t *testing.T) {
	s, err := scenarios.Load("s.yaml", []byte("name: s\ntitle: One payment\nsteps:\n  - pay: {}\n"))
	require.NoError(t, err)
	least, err := Shrink(t.Context(), s, func(context.Context, *scenarios.Scenario) (bool, error) { return true, nil })
	require.NoError(t, err)
	assert.Same(t, s, least)
}
