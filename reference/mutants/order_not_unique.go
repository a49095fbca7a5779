package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// OrderNotUnique keeps one row per key and derives the trade number from the order. The bank's own suppression of
// repeats hides that every click pays: one debit, and as many SUCCESS rows as clicks.
var OrderNotUnique = register(Mutant{
	Name:     "order-not-unique",
	Doc:      "only the key is unique, not the order; the trade number is made from the order",
	Scenario: "fresh-key-per-click",
	Check:    "one-success-row",
	Says:     "each of which says that it was paid",
	Sources:  []string{"JiRaska/open-bank-oss#7172", "square/square-mcp-server#31", "paypal/PayPal-Android-SDK#278"},
	Apply: func(p *reference.Parts) {
		p.Schema = oneRowPerKey
		p.Admit = admitByKey
		p.TradeNo = func(p reference.Payment) string { return "T-" + p.OrderID }
	},
})

func oneRowPerKey() []string {
	schema := paymentsUnique("UNIQUE(merchant, idem_key)")
	return append([]string{reference.TradeTable()}, schema...)
}

func admitByKey(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if a, err := repeatOfKey(ctx, s, r); err != nil || a.Answer != nil {
		return a, err
	}
	p := s.NewPayment(r, 1)
	if answer, err := s.Claim(ctx, r, p); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	a, err := insert(ctx, s, p)
	if errors.Is(err, reference.ErrDuplicate) {
		return repeatOfKey(ctx, s, r)
	}
	return a, err
}

func repeatOfKey(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	first, err := reference.PaymentByKey(ctx, s.Store, r.Merchant, r.Key)
	switch {
	case errors.Is(err, reference.ErrAbsent):
		return reference.Admission{}, nil
	case err != nil:
		return reference.Admission{}, err
	}
	return reference.Admission{Answer: s.Existing(r, first, true)}, nil
}
