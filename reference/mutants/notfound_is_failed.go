package mutants

import (
	"context"

	"onedebit/reference"
)

// NotFoundIsFailed gives a payment up as soon as the bank does not know its number. The debit was only slower than the
// question.
var NotFoundIsFailed = register(Mutant{
	Name:     "notfound-is-failed",
	Doc:      "a query that the bank answers with NOT_FOUND is stored as FAILED, without closing the number first",
	Scenario: "query-overtakes-debit",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED and the bank took",
	Sources:  []string{"solana-foundation/pay#456", "alphagov/pay-connector#2195", "mollie/mollie-api-php#585"},
	Apply:    func(p *reference.Parts) { p.Reconcile = failWhatIsNotFound(p.Reconcile) },
})

func failWhatIsNotFound(reconcile reconcilePart) reconcilePart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) error {
		if p.Status == reference.Pending {
			return reconcile(ctx, s, p)
		}
		w := s.Inquire(ctx, p)
		switch w.Said {
		case reference.SaidNothing, reference.SaidProcessing:
			return nil
		case reference.SaidNotFound:
			return fail(ctx, s, p, w)
		}
		_, err := s.Settle(ctx, w)
		return err
	}
}
