package mutants

import (
	"context"

	"onedebit/reference"
)

// LockTwoNames guards each door by a lock of its own name. Whoever comes by one does not meet whoever came by the other.
var LockTwoNames = register(Mutant{
	Name:     "lock-two-names",
	Doc:      "the two entry points lock the same order under different names, and no unique row backs the locks",
	Scenario: "both-doors",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"magento/magento2#36417", "spree/spree#13938", "woocommerce/woocommerce-gateway-stripe#5042"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitByLockOf("pay")
		p.Checkout = admitByLockOf("checkout")
	},
})

func admitByLockOf(door string) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
			return reference.Admission{Answer: answer}, err
		}
		p := s.NewPayment(r, 1)
		locked, err := s.Cache.SetNX(ctx, s.Key("lock:"+door+":"+r.Merchant+":"+r.OrderID), p.ID, s.Config.TokenTTL.Std()).Result()
		if err != nil {
			return reference.Admission{}, err
		}
		if !locked {
			return lastState(ctx, s, r)
		}
		return finishedOrInsert(ctx, s, r, p)
	}
}
