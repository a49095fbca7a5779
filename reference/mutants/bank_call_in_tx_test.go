package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestBankCallInTx(t *testing.T) {
	contrastOnServers(t, "bank-call-in-tx", 2, 1, func(r *rig) int {
		r.Link.Nth(1, settling, referencetest.DatabaseAct{Fail: "40001"})
		r.PayNew("O")
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
