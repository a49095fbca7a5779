package mutants

import (
	"context"

	"onedebit/reference"
)

// TokenUsedUp takes the one-time token and then begins to work. Where the work fails before the bank is asked, the client
// is told to try again with a token that is gone.
var TokenUsedUp = register(Mutant{
	Name:     "token-used-up",
	Doc:      "the one-time token is consumed first and not given back where nothing was done",
	Scenario: "claim-answer-lost",
	Check:    "settles",
	Says:     "nobody can pay with it",
	Sources:  []string{"incident", "Payum/PayumBundle#402", "Sylius/PayumStripePlugin#27"},
	Apply:    func(p *reference.Parts) { p.Admit = admitByLastToken },
})

func admitByLastToken(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	unknown, err := s.Issued(ctx, r)
	if err != nil {
		return reference.Admission{}, err
	}
	taken, err := s.Cache.Del(ctx, s.Key(reference.TokenKey(r.Merchant, r.Key))).Result()
	if err != nil {
		return reference.Admission{}, err
	}
	if unknown != nil || taken == 0 {
		a, err := repeatOfKey(ctx, s, r)
		if err == nil && a.Answer == nil {
			a.Answer = unknown
		}
		return a, err
	}
	p := s.NewPayment(r, 1)
	lock := orderLock(s, r.Merchant, r.OrderID)
	if locked, err := s.Cache.SetNX(ctx, lock, p.ID, s.Config.ServiceTimeout.Std()).Result(); err != nil || !locked {
		return underWay(r), err
	}
	a, err := finishedOrInsert(ctx, s, r, p)
	s.Cache.Del(ctx, lock)
	return a, err
}
