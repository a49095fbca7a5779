package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// LockTTL5s guards an order by a lock in the cache that lives for five seconds. Payment after payment ends sooner; the
// one whose bank takes seven seconds is debited again by whoever asks in the sixth.
var LockTTL5s = register(Mutant{
	Name:     "lock-ttl-5s",
	Doc:      "the only guard of an order is a cache lock that lives 5 s; there is no unique row and no look-up",
	Scenario: "slow-bank-past-lock",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"incident", "spring-projects/spring-integration#2661"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitByLock
	},
})

// lockShare makes the life of the lock 5 s where keys live for the usual 10 minutes.
const lockShare = 120

func admitByLock(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	p := s.NewPayment(r, 1)
	locked, err := s.Cache.SetNX(ctx, s.Key("lock:"+r.OrderID), p.ID, s.Config.TokenTTL.Std()/lockShare).Result()
	if err != nil {
		return reference.Admission{}, err
	}
	if !locked {
		return lastState(ctx, s, r)
	}
	return insert(ctx, s, p)
}

func insert(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Admission, error) {
	err := s.Store.Tx(ctx, func(tx *reference.Tx) error { return tx.InsertPayment(ctx, p) })
	return reference.Admission{Payment: p}, err
}

// lastState answers with the state of the order so far, which may not be stored yet.
func lastState(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	last, err := reference.PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	if errors.Is(err, reference.ErrAbsent) {
		return underWay(r), nil
	}
	if err != nil {
		return reference.Admission{}, err
	}
	return reference.Admission{Answer: s.Existing(r, last, last.Key == r.Key)}, nil
}
