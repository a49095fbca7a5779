package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// AttemptWhileLive lets a customer begin anew as long as the order is not paid. The first attempt may still be debited.
var AttemptWhileLive = register(Mutant{
	Name:     "attempt-while-live",
	Doc:      "a new attempt is allowed while an earlier one of the order may still be debited",
	Scenario: "gateway-gives-up",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"saleor/saleor#15956", "YunaiV/ruoyi-vue-pro#1152", "ACINQ/eclair-mobile#108"},
	Apply:    func(p *reference.Parts) { p.Admit = admitUnlessPaid },
})

func admitUnlessPaid(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if a, err := repeatOfKey(ctx, s, r); err != nil || a.Answer != nil {
		return a, err
	}
	last, err := reference.PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	if err != nil && !errors.Is(err, reference.ErrAbsent) {
		return reference.Admission{}, err
	}
	if last.Status == reference.Success {
		return reference.Admission{Answer: s.Existing(r, last, false)}, nil
	}
	p := s.NewPayment(r, last.Attempt+1)
	if answer, err := s.Claim(ctx, r, p); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	return insert(ctx, s, p)
}
