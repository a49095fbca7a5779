package mutants

import (
	"context"

	"onedebit/reference"
)

// StoreDownOpen does not let payments fail because of a cache. Without it there is no lock, and it goes on all the same.
var StoreDownOpen = register(Mutant{
	Name:     "store-down-open",
	Doc:      "where the cache that holds the locks cannot be reached, a request goes on without a lock; no unique row backs it",
	Scenario: "cache-away",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"Dev1822/paySphere#1919"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitWithOrWithoutLock
	},
})

func admitWithOrWithoutLock(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	p := s.NewPayment(r, 1)
	locked, err := s.Cache.SetNX(ctx, orderLock(s, r.Merchant, r.OrderID), p.ID, s.Config.TokenTTL.Std()).Result()
	switch {
	case err != nil:
		s.Log.Step(r.OrderID, r.TraceID, "lock", "UNAVAILABLE", err.Error())
	case !locked:
		return lastState(ctx, s, r)
	}
	return insert(ctx, s, p)
}
