package mutants

import (
	"context"
	"errors"
	"net/http"

	"onedebit/reference"
)

// LockNoExpiry takes a lock that only its holder ends. A holder that has died does not.
var LockNoExpiry = register(Mutant{
	Name:     "lock-no-expiry",
	Doc:      "the lock of an order never expires",
	Scenario: "kill-after-claim",
	Check:    "settles",
	Says:     "the service has no row for it",
	Sources:  []string{"https://jishuzhan.net/article/1941844078320201730", "woocommerce/woocommerce#67944"},
	Apply: func(p *reference.Parts) {
		p.Admit = admitUnderLastingLock(p.Admit)
		p.Debit = debitThenUnlock(p.Debit)
	},
})

type admitPart = func(context.Context, *reference.Service, reference.PayRequest) (reference.Admission, error)

func admitUnderLastingLock(admit admitPart) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		lock := orderLock(s, r.Merchant, r.OrderID)
		locked, err := s.Cache.SetNX(ctx, lock, r.TraceID, 0).Result()
		if err != nil {
			return reference.Admission{}, err
		}
		if !locked {
			return lastState(ctx, s, r)
		}
		a, err := admit(ctx, s, r)
		if err != nil || a.Answer != nil {
			return a, errors.Join(err, s.Cache.Del(ctx, lock).Err())
		}
		return a, s.Cache.Set(ctx, lock, a.Payment.ID, 0).Err()
	}
}

// underWay tells that a request is being carried out of which there is no row yet.
func underWay(r reference.PayRequest) reference.Admission {
	a := reference.Refusal(r, http.StatusConflict, reference.CodeRepeat, "this order is already being paid")
	a.Status = reference.Pending
	return reference.Admission{Answer: &a}
}
