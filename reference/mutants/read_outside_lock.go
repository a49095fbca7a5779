package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// ReadOutsideLock looks whether the order is paid, waits for its lock and pays. While it waited, the holder has paid.
var ReadOutsideLock = register(Mutant{
	Name:     "read-outside-lock",
	Doc:      "the state of the order is read before its lock is waited for, and not again under it; no unique row backs it",
	Scenario: "fresh-key-per-click",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"shopware/shopware#19943", "shopware/shopware#9098", "bavix/laravel-wallet#124"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = lookThenLock
		p.Debit = debitThenUnlock(p.Debit)
	},
})

func lookThenLock(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	last, err := reference.PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	switch {
	case err == nil && (last.Status != reference.Failed || last.Key == r.Key):
		return reference.Admission{Answer: s.Existing(r, last, last.Key == r.Key)}, nil
	case err != nil && !errors.Is(err, reference.ErrAbsent):
		return reference.Admission{}, err
	}
	p := s.NewPayment(r, 1)
	if err := awaitLock(ctx, s, orderLock(s, r.Merchant, r.OrderID), p.ID); err != nil {
		return reference.Admission{}, err
	}
	return insert(ctx, s, p)
}
