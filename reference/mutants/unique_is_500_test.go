package mutants_test

import (
	"testing"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestUniqueIs500(t *testing.T) {
	contrast(t, "unique-is-500", reference.Pending, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			return referencetest.Act{Refuse: op == referencetest.Debit && n == 1}
		})
		r.PayNew("O")
		r.Until(func() bool { s := r.Order("O").Status; return s == reference.Pending || s.Final() }, "the number is never closed")
		r.PayNew("P")
		r.Until(func() bool { return r.Order("P").Status.Final() }, "another order is held up")
		return r.Order("O").Status
	})
}
