package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestRefundNewNo(t *testing.T) {
	contrast(t, "refund-new-no", 2, 1, func(r *rig) int {
		r.PayNew("O")
		r.Bank.Act(dropFirstRefund)
		r.Refund("O", "r1", 200)
		r.RefundBecomes("r1", reference.Success)
		return len(r.Bank.Refunds(r.Rows("O")[0].TradeNo))
	})
}
