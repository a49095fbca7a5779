package mutants

import (
	"context"
	"fmt"

	"onedebit/reference"
)

// KeyFreedOnError undoes the whole submission when the bank call throws: the transaction is rolled back and the token
// is given back, so that the user is not stuck. The bank's side is not rolled back.
var KeyFreedOnError = register(Mutant{
	Name:     "key-freed-on-error",
	Doc:      "any exception of the bank call, a lost answer included, deletes the row and frees the key",
	Scenario: "bank-answer-lost",
	Check:    "one-debit",
	Says:     "has 1 SUCCESS row",
	Sources:  []string{"incident", "useautumn/autumn#1851", "ietf-wg-httpapi/idempotency#41", "akash-network/console#3449"},
	Apply:    func(p *reference.Parts) { p.Unanswered = undo },
})

func undo(ctx context.Context, s *reference.Service, p reference.Payment, w reference.Word) error {
	err := s.Store.Tx(ctx, func(tx *reference.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM bank_trade WHERE payment_id = ?`, p.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM pay_transaction WHERE id = ?`, p.ID)
		return err
	})
	if err != nil {
		return err
	}
	s.Log.Step(p.OrderID, p.TraceID, "db.update", "ROLLBACK", "rows=1 reason="+w.Reason)
	s.Release(ctx, p)
	return fmt.Errorf("the bank call failed: %s: %w", w.Reason, reference.ErrNothingDone)
}
