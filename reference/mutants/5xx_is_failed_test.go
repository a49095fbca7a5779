package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestFiveXXIsFailed(t *testing.T) {
	contrast(t, "5xx-is-failed", reference.Failed, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			if op == referencetest.Debit {
				return referencetest.Act{Code: 502}
			}
			return referencetest.Act{}
		})
		r.PayNew("O")
		r.Until(func() bool { return r.Order("O").Status.Final() }, "the payment did not end")
		assert.Len(r.T, r.Bank.Debits("A-O"), 1)
		return r.Order("O").Status
	})
}
