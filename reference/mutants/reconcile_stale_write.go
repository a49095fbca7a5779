package mutants

import (
	"context"
	"errors"
	"fmt"

	"onedebit/reference"
)

// ReconcileStaleWrite saves the answer to its query over whatever the row has become meanwhile. A notification that
// came while the bank was thinking is undone.
var ReconcileStaleWrite = register(Mutant{
	Name:     "reconcile-stale-write",
	Doc:      "the reconciler writes the state that the bank's query gave, whatever the row's state is by then",
	Scenario: "callback-over-slow-query",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"incident", "ActiveCampaign/module-integration#85", "open-mercato/open-mercato#4700", "killbill/killbill#338"},
	Apply:    func(p *reference.Parts) { p.Reconcile = saveQuery },
})

func saveQuery(ctx context.Context, s *reference.Service, p reference.Payment) error {
	if p.Status == reference.Pending {
		_, err := s.Drive(ctx, p)
		return err
	}
	w := s.Inquire(ctx, p)
	switch w.Said {
	case reference.SaidNothing:
		return nil
	case reference.SaidNotFound, reference.SaidClosed:
		return closeAndDrive(ctx, s, p, w)
	}
	return s.Store.Tx(ctx, func(tx *reference.Tx) error { return saveStatus(ctx, s, tx, p, w) })
}

// saveStatus saves the whole row, as an object mapper does.
func saveStatus(ctx context.Context, s *reference.Service, tx *reference.Tx, p reference.Payment, w reference.Word) error {
	_, err := tx.Exec(ctx, `UPDATE pay_transaction SET status = ?, bank_id = ?, reason = ?, updated_at = ? WHERE id = ?`,
		string(w.Said), w.BankID, w.Reason, s.Millis(), p.ID)
	if err != nil || w.Said != reference.SaidSuccess {
		return err
	}
	s.Log.Step(p.OrderID, p.TraceID, "db.update", "SUCCESS", fmt.Sprintf("rows=1 status=%s trade_no=%s by=query", w.Said, p.TradeNo))
	event, _ := s.Parts.Event(s.Config, p, w)
	var known int
	err = tx.Get(ctx, &known, `SELECT 1 FROM outbox_event WHERE event_id = ?`, event.ID)
	if errors.Is(err, reference.ErrAbsent) {
		return tx.InsertEvent(ctx, event, s.Millis())
	}
	return err
}

// closeAndDrive makes a number of which the bank has nothing unusable and sends the payment with another.
func closeAndDrive(ctx context.Context, s *reference.Service, p reference.Payment, w reference.Word) error {
	if w.Said == reference.SaidNotFound {
		if err := s.Bank.Close(ctx, p.TradeNo); err != nil {
			return err
		}
		w.Said = reference.SaidClosed
	}
	done, err := s.Settle(ctx, w)
	if err != nil || done.Payment.Status != reference.Pending {
		return err
	}
	_, err = s.Drive(ctx, done.Payment)
	return err
}
