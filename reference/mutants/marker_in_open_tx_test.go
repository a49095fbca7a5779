package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestMarkerInOpenTx(t *testing.T) {
	contrast(t, "marker-in-open-tx", 2, 1, func(r *rig) int {
		a, b := r.Token("O"), r.Token("O")
		meet(r, "SET", 2) // both have looked the order up by then
		r.Together(pay("O", a), pay("O", b))
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
