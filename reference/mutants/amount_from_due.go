package mutants

import (
	"context"

	"onedebit/reference"
)

// AmountFromDue books what an order still owes when money comes for it. For one that is paid that is nothing.
var AmountFromDue = register(Mutant{
	Name:     "amount-from-due",
	Doc:      "a second debit of a paid order is booked with the amount that was still due, which is 0, instead of the bank's",
	Scenario: "two-attempts-paid",
	Check:    "integer-money",
	Says:     "the service has recorded",
	Sources:  []string{"getlago/lago-api#5536"},
	Apply: func(p *reference.Parts) {
		p.Surplus = func(ctx context.Context, s *reference.Service, tx *reference.Tx, p reference.Payment, w reference.Word) error {
			const due = 0
			now := s.Millis()
			_, err := tx.Exec(ctx, `INSERT INTO surplus (trade_no, merchant, order_id, payment_id, amount, currency, status, refund_no, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)`, w.TradeNo, p.Merchant, p.OrderID, p.ID, due, w.Currency, reference.SurplusReturned, now, now)
			return err
		}
	},
})
