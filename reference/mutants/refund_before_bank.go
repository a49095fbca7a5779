package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundBeforeBank stores the refund and tells everybody of it, and then has the bank carry it out. A bank that refuses is
// a line in the log.
var RefundBeforeBank = register(Mutant{
	Name:     "refund-before-bank",
	Doc:      "a refund and its event are stored as done before the bank is asked, and stay so where it refuses",
	Scenario: "refund-refused",
	Check:    "refunds-bounded",
	Says:     "the bank never gave it back",
	Sources:  []string{"fluent-cart/fluent-cart#42"},
	Apply:    func(p *reference.Parts) { p.Refund = storeThenRefund },
})

func storeThenRefund(ctx context.Context, s *reference.Service, f reference.Refund) (reference.Refund, error) {
	f, begun, err := s.BeginRefund(ctx, f)
	if err != nil || !begun {
		return f, err
	}
	done, err := s.SettleRefund(ctx, reference.Word{
		Said: reference.SaidSuccess, Source: reference.FromAnswer, TradeNo: f.TradeNo, RefundNo: f.RefundNo, PaymentID: f.PaymentID, Amount: f.Amount, Currency: f.Currency,
	})
	if err != nil {
		return f, err
	}
	_, _ = s.AskRefund(ctx, f) // it is in the log
	return done.Refund, nil
}
