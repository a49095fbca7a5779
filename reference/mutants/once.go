package mutants

import (
	"context"
	"database/sql"

	"onedebit/reference"
)

// beginOnce stores the trade number under which a payment is about to be sent, in one transaction that is tried once.
func beginOnce(ctx context.Context, s *reference.Service, p reference.Payment) (next reference.Payment, begun bool, err error) {
	next = p
	next.TradeNo, next.BankID, next.Reason = s.Parts.TradeNo(p), "", ""
	err = s.Store.Once(ctx, sql.LevelReadCommitted, func(tx *reference.Tx) error {
		begun, err = begin(ctx, s, tx, next)
		return err
	})
	next.Status = reference.Processing
	return next, begun, err
}

func begin(ctx context.Context, s *reference.Service, tx *reference.Tx, next reference.Payment) (bool, error) {
	begun, err := tx.Move(ctx, next, reference.Processing, s.Millis())
	if err != nil || !begun {
		return false, err
	}
	return true, tx.InsertTrade(ctx, next, next.TradeNo, s.Millis())
}

// settleOnce carries out a word of the bank in one transaction that is tried once.
func settleOnce(ctx context.Context, s *reference.Service, w reference.Word) (reference.Payment, error) {
	if w.Said == reference.SaidNotFound {
		w.Said = reference.SaidNothing
	}
	var done reference.Settlement
	err := s.Store.Once(ctx, sql.LevelReadCommitted, func(tx *reference.Tx) (err error) {
		done, err = s.SettleIn(ctx, tx, w)
		return err
	})
	if err == nil {
		s.LogSettlement(w, done)
	}
	return done.Payment, err
}
