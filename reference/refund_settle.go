package reference

import (
	"context"
	"fmt"
)

// RefundSettlement says what a word of the bank did to a refund.
type RefundSettlement struct {
	Refund Refund // as it is now
	From   Status // as it was before
	Note   string // why nothing changed, or what alarm was recorded
	Alarm  bool

	Refused bool // the word contradicts what we have asked for
}

// SettleRefund carries out one word of the bank about a refund: its row, the payment's, the event and the alarm in one
// transaction. It is the only way in which an answer, a notification or a query changes a refund.
// A refund number that is not ours wraps ErrAbsent.
func (s *Service) SettleRefund(ctx context.Context, w Word) (RefundSettlement, error) {
	var done RefundSettlement
	err := s.Settling(ctx, func(tx *Tx) (err error) {
		done, err = s.SettleRefundIn(ctx, tx, w)
		return err
	})
	if err != nil {
		return RefundSettlement{}, fmt.Errorf("settling refund %s with %s by %s: %w", w.RefundNo, w.Said, w.Source, err)
	}
	s.LogRefundSettlement(w, done)
	return done, nil
}

// SettleRefundIn is SettleRefund inside a transaction of the caller, who logs it with LogRefundSettlement after the commit.
func (s *Service) SettleRefundIn(ctx context.Context, tx *Tx, w Word) (RefundSettlement, error) {
	f, err := RefundByNo(ctx, tx, w.RefundNo)
	if err != nil {
		return RefundSettlement{}, err
	}
	if _, err = LockPayment(ctx, tx, f.PaymentID); err != nil {
		return RefundSettlement{}, err
	}
	if f, err = RefundByNo(ctx, tx, w.RefundNo); err != nil { // as it is under the lock
		return RefundSettlement{}, err
	}
	done := RefundSettlement{Refund: f, From: f.Status}
	if refundContradicts(w, f) {
		return s.refundContradiction(ctx, tx, done, w)
	}
	switch w.Said {
	case SaidSuccess:
		return s.settleRefunded(ctx, tx, done)
	case SaidFailed:
		return s.settleRefundFailed(ctx, tx, done, w)
	case SaidNothing:
		if f.Status == Processing {
			return s.moveRefund(ctx, tx, f, Unknown)
		}
	}
	return done, nil
}

// refundContradicts reports whether a final word is not about the money that we asked to give back. A refusal may leave
// the amount out, since it moves none.
func refundContradicts(w Word, f Refund) bool {
	if w.Said != SaidSuccess && w.Said != SaidFailed {
		return false
	}
	other := w.Amount != f.Amount || w.Currency != f.Currency
	if w.Said == SaidFailed {
		other = w.Amount != 0 && w.Amount != f.Amount || w.Currency != "" && w.Currency != f.Currency
	}
	return other || w.TradeNo != f.TradeNo
}

func (s *Service) refundContradiction(ctx context.Context, tx *Tx, done RefundSettlement, w Word) (RefundSettlement, error) {
	f := done.Refund
	detail := fmt.Sprintf("%s says %s %d %s for refund %s of %s, the refund is %d %s of %s", w.Source, w.Said, w.Amount, w.Currency, w.RefundNo, w.TradeNo, f.Amount, f.Currency, f.TradeNo)
	if w.Source == FromAnswer && f.Status == Processing {
		var err error
		if done, err = s.moveRefund(ctx, tx, f, Unknown); err != nil {
			return RefundSettlement{}, err
		}
	}
	done.Refused = true
	return s.refundAlarm(ctx, tx, done, "mismatch", detail)
}

// settleRefunded takes the bank's word that the money is back. It outranks an earlier refusal, whose reservation was
// given up: it is made once more, whatever is left, since the money has gone.
func (s *Service) settleRefunded(ctx context.Context, tx *Tx, done RefundSettlement) (RefundSettlement, error) {
	if done.From == Success {
		return done, nil
	}
	f := done.Refund
	if f.Status == Failed && f.Kind == KindOrder {
		if _, err := tx.Exec(ctx, `UPDATE pay_transaction SET refunded = refunded + ? WHERE id = ?`, f.Amount, f.PaymentID); err != nil {
			return RefundSettlement{}, err
		}
	}
	f.Refusal = ""
	done, err := s.moveRefund(ctx, tx, f, Success)
	if err != nil {
		return RefundSettlement{}, err
	}
	if err = s.Parts.GiveBack(ctx, s, tx, done.Refund); err != nil {
		return RefundSettlement{}, err
	}
	p, err := PaymentByID(ctx, tx, f.PaymentID)
	if err == nil && p.Refunded > p.Amount {
		return s.refundAlarm(ctx, tx, done, "refund-excess", fmt.Sprintf("%d of %d %s are refunded", p.Refunded, p.Amount, p.Currency))
	}
	return done, err
}

// giveBack keeps the books of a refund that the bank has carried out, in the transaction of its SUCCESS. The refund of a
// surplus has nothing to do with whether the order is paid.
func giveBack(ctx context.Context, s *Service, tx *Tx, f Refund) error {
	if err := tx.InsertEvent(ctx, RefundEvent(s.Config, f), s.Millis()); err != nil {
		return err
	}
	if f.Kind == KindSurplus {
		return surplusEnds(ctx, tx, f, SurplusReturned, s.Millis())
	}
	var sum int64
	err := tx.Get(ctx, &sum, `SELECT COALESCE(SUM(amount), 0) FROM refund WHERE payment_id = ? AND kind = ? AND status = 'SUCCESS'`, f.PaymentID, KindOrder)
	if err != nil {
		return err
	}
	p, err := PaymentByID(ctx, tx, f.PaymentID)
	if err != nil {
		return err
	}
	to := PartlyRefunded
	if sum >= p.Amount {
		to = Refunded
	}
	if p.Status == to {
		return nil
	}
	_, err = s.move(ctx, tx, p, to)
	return err
}

func (s *Service) settleRefundFailed(ctx context.Context, tx *Tx, done RefundSettlement, w Word) (RefundSettlement, error) {
	f := done.Refund
	switch f.Status {
	case Success: // the first final word wins; a refund that the bank took back is for a person to look into
		return s.refundAlarm(ctx, tx, done, "late-fail", fmt.Sprintf("%s says FAILED for refund %s after SUCCESS", w.Source, w.RefundNo))
	case Processing, Unknown:
	default:
		return done, nil
	}
	f.Refusal = orElse(w.Reason, "DECLINED")
	done, err := s.moveRefund(ctx, tx, f, Failed)
	if err != nil {
		return RefundSettlement{}, err
	}
	if f.Kind == KindSurplus {
		if err = surplusEnds(ctx, tx, f, SurplusKept, s.Millis()); err != nil {
			return RefundSettlement{}, err
		}
		return s.refundAlarm(ctx, tx, done, "surplus-kept", fmt.Sprintf("the bank will not give %d %s of %s back: %s", f.Amount, f.Currency, f.TradeNo, f.Refusal))
	}
	return done, unreserve(ctx, tx, f)
}

func (s *Service) moveRefund(ctx context.Context, tx *Tx, f Refund, to Status) (RefundSettlement, error) {
	now := s.Millis()
	moved, err := tx.MoveRefund(ctx, f, to, now)
	if err == nil && !moved {
		err = errRaced
	}
	if err != nil {
		return RefundSettlement{}, err
	}
	done := RefundSettlement{Refund: f, From: f.Status}
	done.Refund.Status, done.Refund.UpdatedAt = to, now
	return done, nil
}

func (s *Service) refundAlarm(ctx context.Context, tx *Tx, done RefundSettlement, kind, detail string) (RefundSettlement, error) {
	done.Note, done.Alarm = kind+": "+detail, true
	f := done.Refund
	return done, tx.InsertAlarm(ctx, Alarm{ID: kind + ":" + f.RefundNo, Merchant: f.Merchant, OrderID: f.OrderID, Kind: kind, Detail: detail, CreatedAt: s.Millis()})
}

// LogRefundSettlement writes the line of a settlement that is committed.
func (s *Service) LogRefundSettlement(w Word, done RefundSettlement) {
	f := done.Refund
	switch {
	case done.Alarm:
		s.Log.Step(f.OrderID, f.TraceID, "alarm", string(f.Status), done.Note)
	case done.From != f.Status:
		s.Log.Step(f.OrderID, f.TraceID, "refund.update", "SUCCESS", fmt.Sprintf("rows=1 from=%s status=%s refund_no=%s by=%s", done.From, f.Status, f.RefundNo, w.Source))
	default:
		s.Log.Step(f.OrderID, f.TraceID, "refund.update", "UNCHANGED", fmt.Sprintf("rows=0 status=%s said=%s refund_no=%s by=%s", f.Status, w.Said, f.RefundNo, w.Source))
	}
}
