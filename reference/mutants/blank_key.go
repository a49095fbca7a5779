package mutants

import (
	"context"
	"errors"
	"strings"

	"onedebit/reference"
)

// BlankKey trims the key and takes what is left, also where nothing is. The comparison of details is made where a key is
// claimed, which a blank one never is, so the first payment without a key answers for all later ones.
var BlankKey = register(Mutant{
	Name:     "blank-key",
	Doc:      "a blank key is taken for a key like any other, so another order without one is answered with the first one's payment",
	Scenario: "blank-keys",
	Check:    "key-conflict-refused",
	Says:     "was answered SUCCESS with payment",
	Sources:  []string{"anolilab/lunora#246"},
	Apply: func(p *reference.Parts) {
		keyed, admit := p.Keyed, p.Admit
		p.Keyed = func(r reference.PayRequest) (string, *reference.Answer) {
			if r.Key = strings.TrimSpace(r.Key); r.Key == "" {
				return "", nil
			}
			return keyed(r)
		}
		p.Admit = func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
			if r.Key == "" {
				return firstOfKey(ctx, s, r)
			}
			return admit(ctx, s, r)
		}
	},
})

// firstOfKey answers with the payment of a key, and makes the first one.
func firstOfKey(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	first, err := reference.PaymentByKey(ctx, s.Store, r.Merchant, r.Key)
	if err == nil {
		a := s.Parts.Repeat(first, true)
		return reference.Admission{Answer: &a}, nil
	}
	if !errors.Is(err, reference.ErrAbsent) {
		return reference.Admission{}, err
	}
	return insert(ctx, s, s.NewPayment(r, 1))
}
