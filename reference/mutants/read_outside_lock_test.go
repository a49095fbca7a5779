package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestReadOutsideLock(t *testing.T) {
	contrast(t, "read-outside-lock", 2, 1, func(r *rig) int {
		first, second := pay("O", r.Token("O")), pay("O", r.Token("O"))
		meet(r, "SET", 2)
		r.Together(first, second)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
