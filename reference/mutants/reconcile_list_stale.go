package mutants

import (
	"context"

	"onedebit/reference"
)

// ReconcileListStale reads the list of what is overdue and works it off. Each row is treated as it stood in the list,
// whatever another sweeper has made of it since.
var ReconcileListStale = register(Mutant{
	Name:     "reconcile-list-stale",
	Doc:      "the reconciler works off its list without reading a row again, and sends a number anew that another has replaced meanwhile",
	Scenario: "late-reconciler",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"odoo/odoo#274010", "opencollective/opencollective-api#4641"},
	Apply: func(p *reference.Parts) {
		p.TakeUp = func(context.Context, *reference.Service, *reference.Payment) (bool, error) { return true, nil }
		reconcile := p.Reconcile
		p.Reconcile = func(ctx context.Context, s *reference.Service, p reference.Payment) error {
			if p.Status == reference.Pending {
				return reconcile(ctx, s, p)
			}
			return sendListed(ctx, s, p)
		}
	},
})

// sendListed asks about a row of the list, and sends it with another number where the bank has nothing of it.
func sendListed(ctx context.Context, s *reference.Service, p reference.Payment) error {
	w := s.Inquire(ctx, p)
	switch w.Said {
	case reference.SaidNothing, reference.SaidProcessing:
		return nil
	case reference.SaidSuccess, reference.SaidFailed:
		_, err := s.Settle(ctx, w)
		return err
	case reference.SaidNotFound:
		if err := s.Bank.Close(ctx, p.TradeNo); err != nil {
			return err
		}
	}
	_, err := s.Store.Exec(ctx, `UPDATE pay_transaction SET status = ?, updated_at = ? WHERE id = ?`, reference.Pending, s.Millis(), p.ID)
	if err != nil {
		return err
	}
	p.Status = reference.Pending
	_, err = s.Drive(ctx, p)
	return err
}
