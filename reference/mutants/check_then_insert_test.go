package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestCheckThenInsert(t *testing.T) {
	contrast(t, "check-then-insert", 2, 1, func(r *rig) int {
		first, second := r.Token("O"), r.Token("O")
		meet(r, "SET", 2)
		r.Together(pay("O", first), pay("O", second))
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
