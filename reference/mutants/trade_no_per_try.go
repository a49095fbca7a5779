package mutants

import (
	"context"

	"onedebit/reference"
)

// TradeNoPerTry calls, in a retry loop, a method that makes the trade number. The bank cannot know that the second
// order is the first one again.
var TradeNoPerTry = register(Mutant{
	Name:     "trade-no-per-try",
	Doc:      "the bank call is tried twice, and every try makes a new trade number",
	Scenario: "bank-answer-lost",
	Check:    "one-debit",
	Says:     "has 1 SUCCESS row",
	Sources:  []string{"gocardless/gocardless-pro-python#12", "akash-network/console#3449"},
	Apply:    func(p *reference.Parts) { p.Debit = debitWithRetry },
})

func debitWithRetry(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	p, begun, err := s.Begin(ctx, p)
	if err != nil || !begun {
		return p, err
	}
	reply, failure := s.Ask(ctx, p)
	if failure != nil {
		if p, err = renumber(ctx, s, p); err != nil {
			return p, err
		}
		reply, failure = s.Ask(ctx, p)
	}
	return s.Answered(ctx, p, reply, failure)
}

// renumber gives the payment the trade number of the next try, in place of the one before, of which nobody knows any more.
func renumber(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	p.TradeNo = s.Parts.TradeNo(p)
	err := s.Store.Tx(ctx, func(tx *reference.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE pay_transaction SET trade_no = ?, updated_at = ? WHERE id = ? AND status = 'PROCESSING'`, p.TradeNo, s.Millis(), p.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE bank_trade SET trade_no = ? WHERE payment_id = ?`, p.TradeNo, p.ID)
		return err
	})
	return p, err
}
