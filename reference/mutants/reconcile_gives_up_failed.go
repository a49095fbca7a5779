package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// ReconcileGivesUpFailed asks three times and then calls the payment FAILED, so that no row stays open for ever. The bank
// has not said so.
var ReconcileGivesUpFailed = register(Mutant{
	Name:     "reconcile-gives-up-failed",
	Doc:      "after three queries without an answer the reconciler stores FAILED",
	Scenario: "queries-unanswered",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"juspay/hyperswitch#2380", "own-pay/OwnPay#222", "teesofttech/PayBridge#128"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return append(reference.Schema(), `CREATE TABLE IF NOT EXISTS query_error (payment_id VARCHAR(64) NOT NULL PRIMARY KEY, tries BIGINT NOT NULL)`)
		}
		p.Reconcile = reconcileAtMost(p.Reconcile)
	},
})

// maxQueries is how often the bank may fail to answer.
const maxQueries = 3

func reconcileAtMost(reconcile reconcilePart) reconcilePart {
	return func(ctx context.Context, s *reference.Service, p reference.Payment) error {
		if p.Status == reference.Pending {
			return reconcile(ctx, s, p)
		}
		w := s.Inquire(ctx, p)
		switch w.Said {
		case reference.SaidNothing:
			tries, err := countQuery(ctx, s, p.ID)
			if err != nil || tries < maxQueries {
				return err
			}
			return fail(ctx, s, p, w)
		case reference.SaidNotFound, reference.SaidClosed:
			return closeAndDrive(ctx, s, p, w)
		}
		_, err := s.Settle(ctx, w)
		return err
	}
}

func countQuery(ctx context.Context, s *reference.Service, payment string) (tries int, err error) {
	err = s.Store.Tx(ctx, func(tx *reference.Tx) error {
		err := tx.Get(ctx, &tries, `SELECT tries FROM query_error WHERE payment_id = ?`, payment)
		if tries++; errors.Is(err, reference.ErrAbsent) {
			_, err = tx.Exec(ctx, `INSERT INTO query_error (payment_id, tries) VALUES (?, 1)`, payment)
		} else if err == nil {
			_, err = tx.Exec(ctx, `UPDATE query_error SET tries = ? WHERE payment_id = ?`, tries, payment)
		}
		return err
	})
	return tries, err
}
