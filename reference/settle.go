package reference

import (
	"context"
	"errors"
	"fmt"
)

// Settlement says what a word of the bank did to a payment.
type Settlement struct {
	Payment Payment // as it is now
	From    Status  // as it was before
	Note    string  // why nothing changed, or what alarm was recorded; empty for a plain change or repeat
	Alarm   bool
	Refused bool // the word contradicts what we have asked for
}

// errRaced says that another writer moved the row between our read and our write.
var errRaced = errors.New("another writer was faster")

// maxRaces bounds how often a transaction is begun again. Every lost race means that the payment has moved forward, and
// no path through the transition table is longer.
const maxRaces = 8

// Settle carries out one word of the bank: row, event, trade number and alarm in one transaction. It is the only way
// in which an answer, a notification or a query changes a payment, so they may come in any order and any number.
// A trade number that we never sent wraps ErrAbsent.
func (s *Service) Settle(ctx context.Context, w Word) (Settlement, error) {
	var done Settlement
	err := s.Settling(ctx, func(tx *Tx) (err error) {
		done, err = s.SettleIn(ctx, tx, w)
		return err
	})
	if err != nil {
		return Settlement{}, fmt.Errorf("settling %s with %s by %s: %w", w.TradeNo, w.Said, w.Source, err)
	}
	s.LogSettlement(w, done)
	return done, nil
}

// Settling runs work in a transaction, again from its beginning where another writer was faster. Run after a COMMIT that
// was not answered, a settlement finds its own end in the row and changes nothing more.
func (s *Service) Settling(ctx context.Context, work func(*Tx) error) (err error) {
	for range maxRaces {
		if err = s.Store.Tx(ctx, work); !errors.Is(err, errRaced) {
			return err
		}
	}
	return err
}

// SettleIn is Settle inside a transaction of the caller, who logs it with LogSettlement after the commit.
func (s *Service) SettleIn(ctx context.Context, tx *Tx, w Word) (Settlement, error) {
	trade, err := TradeByNo(ctx, tx, w.TradeNo)
	if err != nil {
		return Settlement{}, err
	}
	id := w.PaymentID
	if id == "" {
		id = trade.PaymentID
	}
	p, err := LockPayment(ctx, tx, id)
	if err != nil {
		return Settlement{}, err
	}
	if !s.Parts.Matches(w, p) {
		return s.contradiction(ctx, tx, p, w)
	}
	switch w.Said {
	case SaidSuccess:
		return s.settleSuccess(ctx, tx, p, w)
	case SaidFailed:
		return s.settleFailed(ctx, tx, p, w)
	case SaidClosed:
		return s.settleClosed(ctx, tx, p, w)
	case SaidNothing:
		return s.settleUnknown(ctx, tx, p, w)
	}
	return Settlement{Payment: p, From: p.Status}, nil
}

// matches reports whether a word may be about the money that we asked for. A refusal may leave the amount out, since it
// moves none; a word that is not final names none.
func matches(w Word, p Payment) bool {
	same := w.Amount == p.Amount && w.Currency == p.Currency
	switch w.Said {
	case SaidSuccess:
		return same && (w.Merchant == "" || w.Merchant == p.Merchant)
	case SaidFailed:
		return (same || w.Amount == 0 && w.Currency == "") && (w.Merchant == "" || w.Merchant == p.Merchant)
	}
	return true
}

// contradiction records an alarm. The answer to our own call then counts as none; a notification changes nothing.
func (s *Service) contradiction(ctx context.Context, tx *Tx, p Payment, w Word) (Settlement, error) {
	detail := fmt.Sprintf("%s says %s %d %s for %s of %s, the payment is %d %s", w.Source, w.Said, w.Amount, w.Currency, w.TradeNo, orElse(w.Merchant, p.Merchant), p.Amount, p.Currency)
	done := Settlement{Payment: p, From: p.Status}
	if w.Source == FromAnswer {
		w.Reason = "MISMATCH"
		var err error
		if done, err = s.settleUnknown(ctx, tx, p, w); err != nil {
			return Settlement{}, err
		}
	}
	done.Refused = true
	return s.alarm(ctx, tx, done, w, "mismatch", detail)
}

func (s *Service) settleSuccess(ctx context.Context, tx *Tx, p Payment, w Word) (Settlement, error) {
	same := Settlement{Payment: p, From: p.Status}
	if p.Status.Paid() && p.TradeNo == w.TradeNo {
		return same, nil
	}
	if err := s.markTrade(ctx, tx, w, string(SaidSuccess)); err != nil {
		return Settlement{}, err
	}
	surplus := p.Status.Paid() || p.Status == Closed
	if p.Status == Failed {
		rival, err := otherLive(ctx, tx, p)
		if err != nil {
			return Settlement{}, err
		}
		surplus = rival
	}
	if surplus {
		if err := s.Parts.Surplus(ctx, s, tx, p, w); err != nil {
			return Settlement{}, err
		}
		return s.alarm(ctx, tx, same, w, "surplus", fmt.Sprintf("%s took %d %s although the order is paid, being paid otherwise, or closed", w.TradeNo, w.Amount, w.Currency))
	}
	next := p
	next.TradeNo, next.BankID, next.Reason = w.TradeNo, w.BankID, ""
	done, err := s.move(ctx, tx, next, Success)
	if err != nil {
		return Settlement{}, err
	}
	if p.Status == Failed {
		// The row is locked by now: an attempt that was admitted while we looked is seen here.
		if rival, err := otherLive(ctx, tx, p); err != nil || rival {
			return Settlement{}, errors.Join(err, errRaced)
		}
	}
	if event, ok := s.Parts.Event(s.Config, done.Payment, w); ok {
		err = s.Parts.Tell(ctx, s, tx, event)
	}
	return done, err
}

func (s *Service) settleFailed(ctx context.Context, tx *Tx, p Payment, w Word) (Settlement, error) {
	done := Settlement{Payment: p, From: p.Status}
	if p.TradeNo == w.TradeNo && p.Status.Paid() {
		// The first final word wins; money that the bank took back is for a person to look into.
		return s.alarm(ctx, tx, done, w, "late-fail", fmt.Sprintf("%s says FAILED for %s after SUCCESS", w.Source, w.TradeNo))
	}
	if err := s.markTrade(ctx, tx, w, string(SaidFailed)); err != nil {
		return Settlement{}, err
	}
	if p.TradeNo != w.TradeNo || !CanMove(p.Status, Failed) || p.Status == Pending {
		done.Note = "the payment has moved on"
		return done, nil
	}
	next := p
	next.BankID, next.Reason = w.BankID, orElse(w.Reason, "DECLINED")
	return s.move(ctx, tx, next, Failed)
}

// settleClosed takes a payment whose number is dead back to PENDING, from where it is driven with a new number, or, where
// its time is over, to CLOSED.
func (s *Service) settleClosed(ctx context.Context, tx *Tx, p Payment, w Word) (Settlement, error) {
	done := Settlement{Payment: p, From: p.Status}
	if p.Status.Paid() && p.TradeNo == w.TradeNo {
		return s.alarm(ctx, tx, done, w, "late-fail", fmt.Sprintf("%s says CLOSED for %s after SUCCESS", w.Source, w.TradeNo))
	}
	if err := s.markTrade(ctx, tx, w, string(SaidClosed)); err != nil {
		return Settlement{}, err
	}
	if p.TradeNo != w.TradeNo || p.Status != Processing && p.Status != Unknown {
		done.Note = "the payment has moved on"
		return done, nil
	}
	next := p
	next.Reason = ""
	if p.Status == Processing {
		unknown, err := s.move(ctx, tx, next, Unknown)
		if err != nil {
			return Settlement{}, err
		}
		next = unknown.Payment
	}
	to := Pending
	if s.Parts.Expired(next, s.Millis()) {
		to, next.Reason = Closed, "EXPIRED"
	}
	closed, err := s.move(ctx, tx, next, to)
	closed.From = p.Status
	return closed, err
}

func (s *Service) settleUnknown(ctx context.Context, tx *Tx, p Payment, w Word) (Settlement, error) {
	if p.Status != Processing || p.TradeNo != w.TradeNo {
		return Settlement{Payment: p, From: p.Status}, nil
	}
	next := p
	next.Reason = w.Reason
	return s.move(ctx, tx, next, Unknown)
}

func (s *Service) move(ctx context.Context, tx *Tx, next Payment, to Status) (Settlement, error) {
	now := s.Millis()
	moved, err := tx.Move(ctx, next, to, now)
	if err == nil && !moved {
		err = errRaced
	}
	if err != nil {
		return Settlement{}, err
	}
	from := next.Status
	next.Status, next.UpdatedAt = to, now
	return Settlement{Payment: next, From: from}, nil
}

func (s *Service) alarm(ctx context.Context, tx *Tx, done Settlement, w Word, kind, detail string) (Settlement, error) {
	done.Note, done.Alarm = kind+": "+detail, true
	p := done.Payment
	return done, tx.InsertAlarm(ctx, Alarm{ID: kind + ":" + w.TradeNo, Merchant: p.Merchant, OrderID: p.OrderID, Kind: kind, Detail: detail, CreatedAt: s.Millis()})
}

func (s *Service) markTrade(ctx context.Context, tx *Tx, w Word, status string) error {
	_, err := tx.Exec(ctx, `UPDATE bank_trade SET status = ? WHERE trade_no = ? AND status <> ?`, status, w.TradeNo, string(SaidSuccess))
	return err
}

// otherLive reports whether an order has another attempt that is paid or may still be.
func otherLive(ctx context.Context, tx *Tx, p Payment) (bool, error) {
	var n int
	err := tx.Get(ctx, &n, `SELECT COUNT(*) FROM pay_transaction WHERE merchant = ? AND order_id = ? AND id <> ? AND status <> 'FAILED'`,
		p.Merchant, p.OrderID, p.ID)
	return n > 0, err
}

// LogSettlement writes the line of a settlement that is committed.
func (s *Service) LogSettlement(w Word, done Settlement) {
	p := done.Payment
	switch {
	case done.Alarm:
		s.Log.Step(p.OrderID, p.TraceID, "alarm", string(p.Status), done.Note)
	case done.From != p.Status:
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "SUCCESS", fmt.Sprintf("rows=1 from=%s status=%s trade_no=%s by=%s", done.From, p.Status, p.TradeNo, w.Source))
	default:
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "UNCHANGED", fmt.Sprintf("rows=0 status=%s said=%s trade_no=%s by=%s %s", p.Status, w.Said, w.TradeNo, w.Source, done.Note))
	}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
