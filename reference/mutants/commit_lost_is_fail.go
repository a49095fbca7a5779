package mutants

import (
	"context"

	"onedebit/reference"
)

// CommitLostIsFail takes a transaction that threw for one that was rolled back, and sets the order to FAILED so that
// the customer can try again. Where only the answer to COMMIT was lost, a paid order is overwritten.
var CommitLostIsFail = register(Mutant{
	Name:     "commit-lost-is-fail",
	Doc:      "a COMMIT that was not answered is taken for a rollback, and the payment for FAILED",
	Scenario: "db-commit-answer-lost",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank",
	Sources:  []string{"https://status.subbly.co/incidents/w4dplwgg9ygg", "peanutprotocol/peanut-ui#2619"},
	Apply:    func(p *reference.Parts) { p.Debit = debitOrFail },
})

func debitOrFail(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	next, begun, err := beginOnce(ctx, s, p)
	if err == nil && begun {
		reply, failure := s.Ask(ctx, next)
		_, err = settleOnce(ctx, s, s.WordOf(reference.FromAnswer, next, reply, failure))
	}
	if err != nil {
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "ROLLBACK", err.Error())
		_, err = s.Store.Exec(ctx, `UPDATE pay_transaction SET status = 'FAILED', reason = 'DB_ERROR', updated_at = ? WHERE id = ?`, s.Millis(), p.ID)
		if err != nil {
			return p, err
		}
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}
