package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundHitsOrder finds the order of a refund and marks it refunded. The refund was of money that the order did not need.
var RefundHitsOrder = register(Mutant{
	Name:     "refund-hits-order",
	Doc:      "the refund of a surplus debit marks the order that is paid as refunded",
	Scenario: "two-attempts-paid",
	Check:    "ledger-agrees",
	Says:     "the service has no SUCCESS row",
	Sources:  []string{"woocommerce/woocommerce#9297", "pretix/pretix#343"},
	Apply: func(p *reference.Parts) {
		giveBack := p.GiveBack
		p.GiveBack = func(ctx context.Context, s *reference.Service, tx *reference.Tx, f reference.Refund) error {
			if err := giveBack(ctx, s, tx, f); err != nil || f.Kind != reference.KindSurplus {
				return err
			}
			_, err := tx.Exec(ctx, `UPDATE pay_transaction SET status = 'REFUNDED', updated_at = ? WHERE merchant = ? AND order_id = ? AND status = 'SUCCESS'`,
				s.Millis(), f.Merchant, f.OrderID)
			return err
		}
	},
})
