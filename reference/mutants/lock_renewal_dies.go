package mutants

import (
	"context"
	"time"

	"onedebit/reference"
)

// LockRenewalDies holds a short lock and prolongs it for as long as the bank takes. The prolonging ends at its first error,
// and nobody tells the holder.
var LockRenewalDies = register(Mutant{
	Name:     "lock-renewal-dies",
	Doc:      "the lock of an order is prolonged while the bank is asked, and no longer after one error of the cache; no unique row backs it",
	Scenario: "cache-cut-under-lock",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"redisson/redisson#2515", "redisson/redisson#6844"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitUnderWatchdog
		p.Debit = debitThenUnlock(p.Debit)
	},
})

func admitUnderWatchdog(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	p, lock, life := s.NewPayment(r, 1), orderLock(s, r.Merchant, r.OrderID), s.Config.TokenTTL.Std()/lockShare
	locked, err := s.Cache.SetNX(ctx, lock, p.ID, life).Result()
	if err != nil {
		return reference.Admission{}, err
	}
	if !locked {
		return lastState(ctx, s, r)
	}
	a, err := finishedOrInsert(ctx, s, r, p)
	if err != nil || a.Answer != nil {
		s.Cache.Del(ctx, lock)
		return a, err
	}
	go watch(context.WithoutCancel(ctx), s, lock, p.ID, life)
	return a, nil
}

const prolongScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`

// watch prolongs a lock until its holder has given it back.
func watch(ctx context.Context, s *reference.Service, lock, holder string, life time.Duration) {
	tick := time.NewTicker(life / 3)
	defer tick.Stop()
	for range tick.C {
		held, err := s.Cache.Eval(ctx, prolongScript, []string{lock}, holder, life.Milliseconds()).Int()
		if err != nil || held == 0 {
			return
		}
	}
}
