package mutants_test

import (
	"testing"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestNotFoundIgnored(t *testing.T) {
	contrast(t, "notfound-ignored", reference.Unknown, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			return referencetest.Act{Refuse: op == referencetest.Debit && n == 1}
		})
		r.PayNew("O")
		r.Until(func() bool { return r.Bank.Calls(referencetest.Query) >= 3 || r.Order("O").Status.Final() }, "nobody asks the bank")
		return r.Order("O").Status
	})
}
