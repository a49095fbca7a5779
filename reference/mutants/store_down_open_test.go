package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestStoreDownOpen(t *testing.T) {
	contrast(t, "store-down-open", 2, 0, func(r *rig) int {
		first, second := pay("O", r.Token("O")), pay("O", r.Token("O"))
		r.Cache.SetError("LOADING")
		r.Pay(first)
		r.Pay(second)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
