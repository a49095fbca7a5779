package mutants_test

import (
	"testing"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestRefundBeforeBank(t *testing.T) {
	contrast(t, "refund-before-bank", reference.Success, reference.Failed, func(r *rig) reference.Status {
		r.PayNew("O")
		r.Bank.Act(func(op string, _ int, _ string) referencetest.Act {
			if op == referencetest.Refund {
				return referencetest.Act{Decline: "ACCOUNT_CLOSED"}
			}
			return referencetest.Act{}
		})
		return r.Refund("O", "r1", 200).Status
	})
}
