package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundSumRace adds up what was refunded and compares. What is on its way to the bank is in nobody's sum.
var RefundSumRace = register(Mutant{
	Name:     "refund-sum-race",
	Doc:      "a refund is allowed by the sum of those that have ended, so that two under way together may exceed the payment",
	Scenario: "refunds-at-once",
	Check:    "refunds-bounded",
	Says:     "the bank gave back",
	Sources:  []string{"fossasia/eventyay#1405"},
	Apply: func(p *reference.Parts) {
		p.Reserve = func(ctx context.Context, tx *reference.Tx, p reference.Payment, amount int64) (bool, error) {
			var sum int64
			err := tx.Get(ctx, &sum, `SELECT COALESCE(SUM(amount), 0) FROM refund WHERE payment_id = ? AND status = 'SUCCESS'`, p.ID)
			return amount <= p.Amount-sum, err
		}
	},
})
