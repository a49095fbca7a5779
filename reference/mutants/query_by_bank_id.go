package mutants

import (
	"context"

	"onedebit/reference"
)

// QueryByBankID asks the bank by the bank's own id, which stands in the answer that was lost.
var QueryByBankID = register(Mutant{
	Name:     "query-by-bank-id",
	Doc:      "the reconciler can ask only by the id that the bank gave in its answer, and passes over a payment without one",
	Scenario: "bank-reset-after",
	Check:    "settles",
	Says:     "did not come to rest",
	Sources:  []string{"juspay/hyperswitch#11448", "juspay/hyperswitch-prism#2089"},
	Apply: func(p *reference.Parts) {
		reconcile := p.Reconcile
		p.Reconcile = func(ctx context.Context, s *reference.Service, p reference.Payment) error {
			if p.Status != reference.Pending && p.BankID == "" {
				s.Log.Step(p.OrderID, p.TraceID, "reconcile.query", "SKIP", "no bank id")
				return nil
			}
			return reconcile(ctx, s, p)
		}
	},
})
