package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestRefundTimeoutFailed(t *testing.T) {
	contrast(t, "refund-timeout-failed", reference.Failed, reference.Success, func(r *rig) reference.Status {
		r.PayNew("O")
		r.Bank.Act(dropFirstRefund)
		r.Refund("O", "r1", 200)
		r.Until(func() bool { return r.RefundState("r1").Status.Final() }, "the refund did not end")
		return r.RefundState("r1").Status
	})
}
