package reference

import (
	"context"
	"errors"
	"fmt"
)

// States of a parked notification.
const (
	ParkedWaiting  = "WAITING"  // its number is not known here, so far
	ParkedResolved = "RESOLVED" // its number appeared, and the notification was carried out
	ParkedForeign  = "FOREIGN"  // the bank has nothing under this number either
	ParkedOrphan   = "ORPHAN"   // the bank knows the number and we do not: an alarm
)

// parkedBatch bounds the parked notifications that one round looks at.
const parkedBatch = 100

type parkedRow struct {
	ID         string `db:"notification_id"`
	TradeNo    string `db:"trade_no"`
	RefundNo   string `db:"refund_no"`
	Status     string `db:"status"`
	Amount     int64  `db:"amount"`
	Currency   string `db:"currency"`
	Merchant   string `db:"merchant"`
	Reason     string `db:"reason"`
	State      string `db:"state"`
	ReceivedAt int64  `db:"received_at"`
	UpdatedAt  int64  `db:"updated_at"`
}

func (r parkedRow) word() Word {
	n := Notification{ID: r.ID, TradeNo: r.TradeNo, RefundNo: r.RefundNo, Status: r.Status, Amount: r.Amount, Currency: r.Currency, Merchant: r.Merchant, Reason: r.Reason}
	return n.Word(Said(r.Status))
}

// park keeps an authentic notification whose number is not known here, in the transaction that stores it. It may have
// come before the number was committed; and the bank stops sending to whoever refuses what it does not know.
func park(ctx context.Context, s *Service, tx *Tx, n Notification) error {
	now := s.Millis()
	_, err := tx.Exec(ctx, `INSERT INTO parked_callback (notification_id, trade_no, refund_no, status, amount, currency, merchant, reason, state, received_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, n.ID, n.TradeNo, n.RefundNo, clip(n.Status, 16), n.Amount, clip(n.Currency, 16), clip(n.Merchant, 64), clip(n.Reason, 128), ParkedWaiting, now, now)
	return err
}

// parkedRound carries out what was parked and whose number has appeared, and asks the bank about the rest.
func (s *Service) parkedRound(ctx context.Context) error {
	var rows []parkedRow
	now := s.Millis()
	err := s.Store.Select(ctx, &rows, `SELECT * FROM parked_callback WHERE state = ? AND updated_at <= ? ORDER BY updated_at LIMIT ?`,
		ParkedWaiting, now-s.Config.ReconcileUnknownAfter.Std().Milliseconds(), parkedBatch)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if ctx.Err() != nil {
			return nil
		}
		if err := s.resolve(context.WithoutCancel(ctx), row); err != nil {
			s.Log.Step("", "", "callback.parked", "ERROR", fmt.Sprintf("id=%s: %v", row.ID, err))
		}
	}
	return nil
}

func (s *Service) resolve(ctx context.Context, row parkedRow) error {
	rows, err := s.Store.Exec(ctx, `UPDATE parked_callback SET updated_at = ? WHERE notification_id = ? AND state = ? AND updated_at = ?`, s.Millis(), row.ID, ParkedWaiting, row.UpdatedAt)
	if err != nil || rows == 0 {
		return err // another instance has taken it up
	}
	w := row.word()
	err = s.Settling(ctx, func(tx *Tx) error {
		result, err := s.settleNotice(ctx, tx, w)
		if err != nil {
			return err
		}
		if err = tx.noticeDone(ctx, row.ID, result.text); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE parked_callback SET state = ? WHERE notification_id = ?`, ParkedResolved, row.ID)
		return err
	})
	if !errors.Is(err, ErrAbsent) {
		if err == nil {
			s.Log.Step("", "", "callback.parked", "SUCCESS", fmt.Sprintf("id=%s trade_no=%s", row.ID, row.TradeNo))
		}
		return err
	}
	if row.ReceivedAt > s.Millis()-s.Config.ReconcileProcessingAfter.Std().Milliseconds() {
		return nil // its number may yet be committed
	}
	return s.askAboutStranger(ctx, row)
}

// askAboutStranger asks the bank about a number that nobody here knows. The bank's money under such a number may be
// another's, so it is an alarm and not given back.
func (s *Service) askAboutStranger(ctx context.Context, row parkedRow) error {
	var err error
	if row.RefundNo != "" {
		_, err = s.Bank.QueryRefund(ctx, row.RefundNo)
	} else {
		_, err = s.Bank.Query(ctx, row.TradeNo)
	}
	state := ParkedOrphan
	switch {
	case errors.Is(err, ErrNotFound):
		state = ParkedForeign
	case err != nil:
		return nil // it says nothing: asked again
	}
	return s.Store.Tx(ctx, func(tx *Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE parked_callback SET state = ? WHERE notification_id = ? AND state = ?`, state, row.ID, ParkedWaiting); err != nil || state == ParkedForeign {
			return err
		}
		detail := fmt.Sprintf("the bank says %s %d %s under %s%s, which we have never sent", row.Status, row.Amount, row.Currency, row.TradeNo, row.RefundNo)
		return tx.InsertAlarm(ctx, Alarm{ID: "unknown-trade:" + orElse(row.RefundNo, row.TradeNo), Kind: "unknown-trade", Detail: detail, CreatedAt: s.Millis()})
	})
}
