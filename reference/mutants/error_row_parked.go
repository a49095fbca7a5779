package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// ErrorRowParked sets a payment aside at the first error of the database, for a person to look at. Nobody does, and
// everything automatic passes it over from then on.
var ErrorRowParked = register(Mutant{
	Name:     "error-row-parked",
	Doc:      "after one error of the database a payment is parked, and neither notification nor reconciler takes it up again",
	Scenario: "db-one-error",
	Check:    "settles",
	Says:     "did not come to rest",
	Sources:  []string{"PAYONE-GmbH/magento-1#370", "PAYONE-GmbH/magento-1#119"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return append(reference.Schema(), `CREATE TABLE IF NOT EXISTS parked (payment_id VARCHAR(64) NOT NULL PRIMARY KEY)`)
		}
		p.Debit = debitOrPark
		p.Callback = callbackUnlessParked(p.Callback)
		p.Reconcile = reconcileUnlessParked(p.Reconcile)
	},
})

func debitOrPark(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	next, begun, err := beginOnce(ctx, s, p)
	if err == nil && begun {
		reply, failure := s.Ask(ctx, next)
		_, err = settleOnce(ctx, s, s.WordOf(reference.FromAnswer, next, reply, failure))
	}
	if err != nil {
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "PARKED", err.Error())
		if _, err := s.Store.Exec(ctx, `INSERT INTO parked (payment_id) VALUES (?)`, p.ID); err != nil {
			return p, err
		}
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}

func isParked(ctx context.Context, s *reference.Service, payment string) (bool, error) {
	var id string
	err := s.Store.Get(ctx, &id, `SELECT payment_id FROM parked WHERE payment_id = ?`, payment)
	if errors.Is(err, reference.ErrAbsent) {
		return false, nil
	}
	return err == nil, err
}

func callbackUnlessParked(callback callbackPart) callbackPart {
	return func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
		if p, known := paidBy(ctx, s, n.TradeNo); known {
			if parked, err := isParked(ctx, s, p.ID); err != nil || parked {
				return "parked", err
			}
		}
		return callback(ctx, s, n)
	}
}

func reconcileUnlessParked(reconcile reconcilePart) reconcilePart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) error {
		if parked, err := isParked(ctx, s, p.ID); err != nil || parked {
			return err
		}
		return reconcile(ctx, s, p)
	}
}
