package mutants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/reference"
)

// LockBeforeCommit looks and inserts under a lock of the order. The unlocking is deferred in the function that the
// transaction runs, so it comes before the COMMIT, and the next one under the lock does not see the row yet.
var LockBeforeCommit = register(Mutant{
	Name:     "lock-before-commit",
	Doc:      "the lock around look-up and insert is given back before the transaction is committed, and no unique row backs it",
	Scenario: "db-slow-commit",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"incident", "ury-erp/ury#366"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitUnderLock
	},
})

func admitUnderLock(ctx context.Context, s *reference.Service, r reference.PayRequest) (a reference.Admission, err error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	p, lock := s.NewPayment(r, 1), s.Key("lock:"+r.Merchant+":"+r.OrderID)
	if err := awaitLock(ctx, s, lock, p.ID); err != nil {
		return a, err
	}
	err = s.Store.Tx(ctx, func(tx *reference.Tx) error {
		defer s.Cache.Del(ctx, lock)
		a, err = lookAndInsert(ctx, s, tx, r, p)
		return err
	})
	return a, err
}

// awaitLock waits for a lock, which ends by itself should its holder die.
func awaitLock(ctx context.Context, s *reference.Service, lock, holder string) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		won, err := s.Cache.SetNX(ctx, lock, holder, s.Config.ServiceTimeout.Std()).Result()
		if err != nil || won {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the lock of an order: %w", ctx.Err())
		}
	}
}

// lookAndInsert answers for the payment that the order has, or stores one.
func lookAndInsert(ctx context.Context, s *reference.Service, tx *reference.Tx, r reference.PayRequest, p reference.Payment) (reference.Admission, error) {
	last, err := reference.PaymentByOrder(ctx, tx, r.Merchant, r.OrderID)
	switch {
	case err == nil && (last.Status != reference.Failed || last.Key == r.Key):
		return reference.Admission{Answer: s.Existing(r, last, last.Key == r.Key)}, nil
	case err == nil:
		p.Attempt = last.Attempt + 1
	case !errors.Is(err, reference.ErrAbsent):
		return reference.Admission{}, err
	}
	return reference.Admission{Payment: p}, tx.InsertPayment(ctx, p)
}
