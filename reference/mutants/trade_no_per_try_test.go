package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestTradeNoPerTry(t *testing.T) {
	contrast(t, "trade-no-per-try", 2, 1, func(r *rig) int {
		r.Bank.Act(dropFirst)
		r.PayNew("O")
		r.Becomes("O", reference.Success)
		return len(r.Bank.Debits("A-O"))
	})
}
