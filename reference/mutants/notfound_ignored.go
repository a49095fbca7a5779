package mutants

import (
	"context"

	"onedebit/reference"
)

// NotFoundIgnored waits for the bank to learn of an order that never reached it.
var NotFoundIgnored = register(Mutant{
	Name:     "notfound-ignored",
	Doc:      "the reconciler passes over a number that the bank has never seen, so the payment never ends",
	Scenario: "bank-reset-before",
	Check:    "settles",
	Says:     "did not come to rest",
	Sources:  []string{"juspay/hyperswitch#3675"},
	Apply:    func(p *reference.Parts) { p.Reconcile = reconcileWhatIsFound },
})

func reconcileWhatIsFound(ctx context.Context, s *reference.Service, p reference.Payment) error {
	if p.Status == reference.Pending {
		_, err := s.Drive(ctx, p)
		return err
	}
	w := s.Inquire(ctx, p)
	switch w.Said {
	case reference.SaidSuccess, reference.SaidFailed:
		_, err := s.Settle(ctx, w)
		return err
	case reference.SaidClosed:
		return closeAndDrive(ctx, s, p, w)
	}
	return nil
}
