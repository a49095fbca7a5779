package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// orderLock names the cache lock of an order.
func orderLock(s *reference.Service, merchant, order string) string {
	return s.Key("lock:" + merchant + ":" + order)
}

// finishedOrInsert answers for an order that has come to its end and stores a row otherwise: what is under way is the
// business of the lock.
func finishedOrInsert(ctx context.Context, s *reference.Service, r reference.PayRequest, p reference.Payment) (reference.Admission, error) {
	last, err := reference.PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	switch {
	case err == nil && (last.Status == reference.Success || last.Status == reference.Failed && last.Key == r.Key):
		return reference.Admission{Answer: s.Existing(r, last, last.Key == r.Key)}, nil
	case err != nil && !errors.Is(err, reference.ErrAbsent):
		return reference.Admission{}, err
	}
	return insert(ctx, s, p)
}

const unlockScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// unlock gives a lock back where it is still held by this payment.
func unlock(ctx context.Context, s *reference.Service, p reference.Payment) error {
	return s.Cache.Eval(ctx, unlockScript, []string{orderLock(s, p.Merchant, p.OrderID)}, p.ID).Err()
}

// debitThenUnlock gives the lock of the order back when the bank has been asked, whatever came of it.
func debitThenUnlock(debit debitPart) debitPart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
		after, err := debit(ctx, s, p)
		return after, errors.Join(err, unlock(ctx, s, p))
	}
}
