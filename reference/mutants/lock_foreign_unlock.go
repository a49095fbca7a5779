package mutants

import (
	"context"

	"onedebit/reference"
)

// LockForeignUnlock unlocks on every way out that does not go on to the bank. One of them is that somebody else holds the
// lock, and then it is theirs.
var LockForeignUnlock = register(Mutant{
	Name:     "lock-foreign-unlock",
	Doc:      "unlocking deletes the lock of the order without looking whose it is, also where it was not obtained",
	Scenario: "second-while-held",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"https://jishuzhan.net/article/1941844078320201730"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitAndFinallyUnlock
		p.Debit = debitThenUnlock(p.Debit)
	},
})

func admitAndFinallyUnlock(ctx context.Context, s *reference.Service, r reference.PayRequest) (a reference.Admission, err error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	p, lock := s.NewPayment(r, 1), orderLock(s, r.Merchant, r.OrderID)
	defer func() {
		if err != nil || a.Answer != nil {
			s.Cache.Del(ctx, lock)
		}
	}()
	locked, err := s.Cache.SetNX(ctx, lock, p.ID, s.Config.TokenTTL.Std()).Result()
	if err != nil {
		return a, err
	}
	if !locked {
		return lastState(ctx, s, r)
	}
	return finishedOrInsert(ctx, s, r, p)
}
