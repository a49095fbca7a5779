package reference

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

const (
	reconcileBatch   = 200 // rows of one round
	reconcileAtATime = 16  // rows worked on side by side
)

// reconcileRound takes up what nobody else will finish. One kind of row in trouble does not keep the others waiting.
func (s *Service) reconcileRound(ctx context.Context) error {
	return errors.Join(s.paymentRound(ctx), s.tradeRound(ctx), s.refundRound(ctx), s.parkedRound(ctx))
}

// paymentRound takes up UNKNOWN rows, PENDING and PROCESSING ones whose process must have died or whose bank takes its
// time, and those whose time is over.
func (s *Service) paymentRound(ctx context.Context) error {
	now := s.Millis()
	early, late := now-s.Config.ReconcileUnknownAfter.Std().Milliseconds(), now-s.Config.ReconcileProcessingAfter.Std().Milliseconds()
	var due []Payment
	err := s.Store.Select(ctx, &due, selectPayment+`WHERE (status = 'UNKNOWN' AND updated_at <= ?)
		OR (status IN ('PENDING', 'PROCESSING') AND (updated_at <= ? OR expires_at <= ? AND updated_at <= ?)) ORDER BY updated_at LIMIT ?`,
		early, late, now, early, reconcileBatch)
	if err != nil {
		return err
	}
	sideBySide(ctx, due, s.reconcileRow)
	return nil
}

// sideBySide works on rows, some at a time, until all are done or ctx ends; what was begun is brought to its end.
func sideBySide[R any](ctx context.Context, rows []R, work func(context.Context, R)) {
	var round sync.WaitGroup
	slots := make(chan struct{}, reconcileAtATime)
	for _, row := range rows {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		round.Go(func() {
			defer func() { <-slots }()
			work(context.WithoutCancel(ctx), row)
		})
	}
	round.Wait()
}

func (s *Service) reconcileRow(ctx context.Context, p Payment) {
	mine, err := s.Parts.TakeUp(ctx, s, &p)
	switch {
	case err != nil || !mine:
	case s.Parts.Expired(p, s.Millis()):
		_, err = s.Parts.Close(ctx, s, p)
	default:
		err = s.Parts.Reconcile(ctx, s, p)
	}
	if err != nil {
		s.Log.Step(p.OrderID, p.TraceID, "reconcile.query", "ERROR", err.Error())
	}
}

// reconcile asks the bank what became of one row and settles what it says. A row of which the bank has nothing is
// closed there first, so that a request still on its way cannot be debited, and then driven with a new number.
func reconcile(ctx context.Context, s *Service, p Payment) error {
	if p.Status == Pending {
		_, err := s.Drive(ctx, p)
		return err
	}
	w := s.Inquire(ctx, p)
	switch w.Said {
	case SaidNothing, SaidProcessing:
		return nil
	case SaidNotFound:
		if err := s.Bank.Close(ctx, p.TradeNo); err != nil {
			if errors.Is(err, ErrNotClosed) {
				return nil // something was debited after all: the next query finds it
			}
			return err
		}
		w.Said = SaidClosed
	}
	done, err := s.Settle(ctx, w)
	if err != nil || done.Payment.Status != Pending {
		return err
	}
	_, err = s.Drive(ctx, done.Payment)
	return err
}

// Inquire asks the bank about the trade number of a payment.
func (s *Service) Inquire(ctx context.Context, p Payment) Word {
	reply, err := s.Bank.Query(ctx, p.TradeNo)
	w := s.WordOf(FromQuery, p, reply, err)
	detail := fmt.Sprintf("trade_no=%s status=%s", p.TradeNo, p.Status)
	if err != nil {
		detail += " " + err.Error()
	}
	s.Log.Step(p.OrderID, p.TraceID, "reconcile.query", string(w.Said), detail)
	return w
}

// tradeRound asks about numbers of which the bank has not said the end although their payment has moved on: money that
// was debited under one of them is a surplus, and nobody else would ever find it.
func (s *Service) tradeRound(ctx context.Context) error {
	var loose []Trade
	err := s.Store.Select(ctx, &loose, `SELECT t.* FROM bank_trade t JOIN pay_transaction p ON p.id = t.payment_id
		WHERE t.status = ? AND t.created_at <= ? AND (t.trade_no <> p.trade_no OR p.status IN ('SUCCESS', 'PARTLY_REFUNDED', 'REFUNDED', 'FAILED', 'CLOSED'))
		ORDER BY t.created_at LIMIT ?`, TradeSent, s.Millis()-s.Config.ReconcileProcessingAfter.Std().Milliseconds(), reconcileBatch)
	if err != nil {
		return err
	}
	sideBySide(ctx, loose, func(ctx context.Context, t Trade) {
		if err := s.inquireLoose(ctx, t); err != nil {
			s.Log.Step(t.OrderID, "", "reconcile.trade", "ERROR", err.Error())
		}
	})
	return nil
}

// inquireLoose settles what the bank says about a number that its payment no longer goes by. It may be asked about by two
// instances, since settling a word twice changes nothing.
func (s *Service) inquireLoose(ctx context.Context, t Trade) error {
	p, err := PaymentByID(ctx, s.Store, t.PaymentID)
	if err != nil {
		return err
	}
	p.TradeNo = t.TradeNo
	w := s.Inquire(ctx, p)
	switch w.Said {
	case SaidNothing, SaidProcessing:
		return nil
	case SaidNotFound:
		if err := s.Bank.Close(ctx, t.TradeNo); err != nil {
			return err
		}
		w.Said = SaidClosed
	}
	_, err = s.Settle(ctx, w)
	return err
}
