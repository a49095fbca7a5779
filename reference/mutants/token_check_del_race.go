package mutants

import (
	"context"

	"onedebit/reference"
)

// TokenCheckDelRace looks whether the token is there and then deletes it. Copies that arrive together all see it.
var TokenCheckDelRace = register(Mutant{
	Name:     "token-check-del-race",
	Doc:      "the one-time token is checked and deleted in two steps, and the token is thought to be enough: no unique row",
	Scenario: "fifty-at-once",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"incident", "http://www.maplevalley.com.cn/news/277584"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitByToken
	},
})

func admitByToken(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	unknown, err := s.Issued(ctx, r)
	if err != nil {
		return reference.Admission{}, err
	}
	if unknown != nil {
		// The token is used up: this is a repeat.
		first, err := reference.PaymentByKey(ctx, s.Store, r.Merchant, r.Key)
		if err != nil {
			return reference.Admission{Answer: unknown}, nil
		}
		return reference.Admission{Answer: s.Existing(r, first, true)}, nil
	}
	if err := s.Cache.Del(ctx, s.Key(reference.TokenKey(r.Merchant, r.Key))).Err(); err != nil {
		return reference.Admission{}, err
	}
	return insert(ctx, s, s.NewPayment(r, 1))
}
