package mutants

import (
	"context"
	"database/sql"
	"errors"

	"onedebit/reference"
)

// MarkerInOpenTx stores the payment as PROCESSING before it calls the bank, as it should be, and in the transaction that
// it commits after the call. Nobody else sees the marker while it matters.
var MarkerInOpenTx = register(Mutant{
	Name:     "marker-in-open-tx",
	Doc:      "the row that says PROCESSING is written in the open transaction around the bank call, where no other request sees it, and no unique row backs it",
	Scenario: "fresh-key-per-click",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"spree/spree#4499"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique() }
		p.Admit = admitUnmarked
		p.Debit = markAndDebit
	},
})

func admitUnmarked(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	last, err := reference.PaymentByOrder(ctx, s.Store, r.Merchant, r.OrderID)
	switch {
	case err == nil && (last.Status != reference.Failed || last.Key == r.Key):
		return reference.Admission{Answer: s.Existing(r, last, last.Key == r.Key)}, nil
	case err != nil && !errors.Is(err, reference.ErrAbsent):
		return reference.Admission{}, err
	}
	p := s.NewPayment(r, last.Attempt+1)
	answer, err := s.Claim(ctx, r, p)
	return reference.Admission{Payment: p, Answer: answer}, err
}

func markAndDebit(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	next := p
	next.TradeNo = s.Parts.TradeNo(p)
	err := s.Store.Once(ctx, sql.LevelReadCommitted, func(tx *reference.Tx) error {
		if _, err := reference.PaymentByID(ctx, tx, p.ID); errors.Is(err, reference.ErrAbsent) {
			if err = tx.InsertPayment(ctx, p); err != nil {
				return err
			}
		}
		begun, err := begin(ctx, s, tx, next)
		if err != nil || !begun {
			return err
		}
		reply, failure := s.Ask(ctx, next)
		w := s.WordOf(reference.FromAnswer, next, reply, failure)
		if w.Said == reference.SaidNotFound {
			w.Said = reference.SaidNothing
		}
		_, err = s.SettleIn(ctx, tx, w)
		return err
	})
	if err != nil {
		return p, err
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}
