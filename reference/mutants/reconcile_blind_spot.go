package mutants

import (
	"context"

	"onedebit/reference"
)

// ReconcileBlindSpot asks about payments that are UNKNOWN. One whose process died before it could say so is PROCESSING
// for ever.
var ReconcileBlindSpot = register(Mutant{
	Name:     "reconcile-blind-spot",
	Doc:      "the reconciler looks at UNKNOWN rows and not at PROCESSING ones",
	Scenario: "kill-after-debit",
	Check:    "settles",
	Says:     "did not come to rest",
	Sources:  []string{"aasmanj/altarwed#610", "Scottcjn/rustchain-bounties#12635"},
	Apply: func(p *reference.Parts) {
		reconcile := p.Reconcile
		p.Reconcile = func(ctx context.Context, s *reference.Service, p reference.Payment) error {
			if p.Status == reference.Processing {
				return nil
			}
			return reconcile(ctx, s, p)
		}
	},
})
