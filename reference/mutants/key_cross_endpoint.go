package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// KeyCrossEndpoint keeps one table of keys for everything. A refund whose id was the key of the payment was carried out
// before, as far as that table knows.
var KeyCrossEndpoint = register(Mutant{
	Name:     "key-cross-endpoint",
	Doc:      "payments and refunds share one key space: a refund whose id is the key of a payment is answered with that payment",
	Scenario: "key-of-the-payment",
	Check:    "refunds-bounded",
	Says:     "the service has no refund of that id",
	Sources:  []string{"https://technewstoday.info/why-an-idempotency-key-isnt-an-idempotency-guarantee/"},
	Apply: func(p *reference.Parts) {
		admit := p.AdmitRefund
		p.AdmitRefund = func(ctx context.Context, s *reference.Service, r reference.RefundRequest) (reference.RefundAdmission, error) {
			first, err := reference.PaymentByKey(ctx, s.Store, r.Merchant, r.RefundID)
			if errors.Is(err, reference.ErrAbsent) {
				return admit(ctx, s, r)
			}
			if err != nil {
				return reference.RefundAdmission{}, err
			}
			a := reference.AnswerOf(first)
			a.RefundID, a.Replayed = r.RefundID, true
			return reference.RefundAdmission{Answer: &a}, nil
		}
	},
})
