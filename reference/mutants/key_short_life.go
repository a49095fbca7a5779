package mutants

import (
	"context"

	"onedebit/reference"
)

// KeyShortLife keeps its keys in the cache and nowhere else. When the cache has forgotten one, the key is as good as new.
var KeyShortLife = register(Mutant{
	Name:     "key-short-life",
	Doc:      "a key lives in the cache for ten minutes and nowhere else; no unique row remembers it",
	Scenario: "restart-then-again",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"incident", "crbnos/carbon#252"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitByCache
	},
})

func admitByCache(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	p := s.NewPayment(r, 1)
	first, err := s.Cache.SetNX(ctx, s.Key("order:"+r.Merchant+":"+r.OrderID), p.ID, s.Config.TokenTTL.Std()).Result()
	if err != nil {
		return reference.Admission{}, err
	}
	if !first {
		return lastState(ctx, s, r)
	}
	return insert(ctx, s, p)
}
