package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestAttemptWhileLive(t *testing.T) {
	contrast(t, "attempt-while-live", 2, 1, func(r *rig) int {
		release := make(chan struct{})
		first := begin(r, pay("O", r.Token("O")), release)
		r.PayNew("O")
		close(release)
		referencetest.Next(r.T, first)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
