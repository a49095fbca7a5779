package reference

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNothingDone is wrapped by an error after which the client may be told that nothing was done for its request.
var ErrNothingDone = errors.New("nothing was done")

// persistWithin bounds the writing of what the bank said, which must not fail because a caller has gone.
const persistWithin = 15 * time.Second

// Drive takes a PENDING payment through risk and the bank and returns the row as it is afterwards. It is called for a
// new payment and for one that was left behind; only one caller gets a row out of PENDING.
func (s *Service) Drive(ctx context.Context, p Payment) (Payment, error) {
	if s.Parts.Expired(p, s.Millis()) {
		return s.Parts.Close(ctx, s, p)
	}
	if p.Amount <= s.Config.MaxAmount {
		return s.Parts.Debit(ctx, s, p)
	}
	next := p
	next.Reason = "AMOUNT_LIMIT"
	err := s.Store.Tx(ctx, func(tx *Tx) error {
		_, err := tx.Move(ctx, next, Failed, s.Millis())
		return err
	})
	if err != nil {
		return p, fmt.Errorf("refusing payment %s by risk: %w", p.ID, err)
	}
	s.Log.Step(p.OrderID, p.TraceID, "risk", "REFUSED", fmt.Sprintf("amount=%d limit=%d", p.Amount, s.Config.MaxAmount))
	s.Release(ctx, p)
	return s.latest(ctx, p)
}

// debit asks the bank once, outside any transaction, with a number that is stored before it is sent.
func debit(ctx context.Context, s *Service, p Payment) (Payment, error) {
	p, begun, err := s.Begin(ctx, p)
	if err != nil || !begun {
		return p, err
	}
	reply, err := s.Ask(ctx, p)
	return s.Answered(ctx, p, reply, err)
}

// Begin moves a payment from PENDING to PROCESSING under a fresh trade number, number and state in one transaction.
// It reports false with the latest row where another caller was faster.
func (s *Service) Begin(ctx context.Context, p Payment) (Payment, bool, error) {
	next := p
	next.TradeNo, next.BankID, next.Reason = s.Parts.TradeNo(p), "", ""
	var begun bool
	now := s.Millis()
	err := s.Store.Tx(ctx, func(tx *Tx) (err error) {
		if begun, err = tx.Move(ctx, next, Processing, now); err != nil {
			return err
		}
		if !begun && tx.InDoubt {
			begun, err = ours(ctx, tx, next)
			return err
		}
		if !begun {
			return nil
		}
		return tx.InsertTrade(ctx, p, next.TradeNo, now)
	})
	if err != nil {
		return p, false, fmt.Errorf("storing trade number %s of payment %s: %w", next.TradeNo, p.ID, err)
	}
	if !begun {
		p, err = s.latest(ctx, p)
		return p, false, err
	}
	next.Status, next.UpdatedAt = Processing, now
	s.Log.Step(p.OrderID, p.TraceID, "db.update", "SUCCESS", fmt.Sprintf("rows=1 from=%s status=%s trade_no=%s by=debit", Pending, Processing, next.TradeNo))
	return next, true, nil
}

// ours reports whether a payment is PROCESSING because of an earlier run of Begin, whose COMMIT was not answered.
func ours(ctx context.Context, tx *Tx, next Payment) (bool, error) {
	now, err := PaymentByID(ctx, tx, next.ID)
	return now.Status == Processing && now.TradeNo == next.TradeNo, err
}

// Ask sends the debit of a payment under its trade number, once.
func (s *Service) Ask(ctx context.Context, p Payment) (Reply, error) {
	s.Log.Step(p.OrderID, p.TraceID, "bank.call", "START", fmt.Sprintf("trade_no=%s amount=%d", p.TradeNo, p.Amount))
	order := Order{Merchant: p.Merchant, TradeNo: p.TradeNo, Account: p.Account, Amount: p.Amount, Currency: p.Currency, NotifyURL: s.notifyURL()}
	reply, err := s.Bank.Debit(ctx, order)
	if err != nil {
		s.Log.Step(p.OrderID, p.TraceID, "bank.response", "UNKNOWN", err.Error())
		return reply, err
	}
	s.Log.Step(p.OrderID, p.TraceID, "bank.response", reply.Status, fmt.Sprintf("trade_no=%s bank_id=%s reason=%s", reply.TradeNo, reply.BankID, reply.Reason))
	return reply, nil
}

// Answered persists what the bank answered to Ask, or that it did not, and returns the row as it is afterwards.
func (s *Service) Answered(ctx context.Context, p Payment, reply Reply, failure error) (Payment, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), persistWithin)
	defer cancel()
	w := s.WordOf(FromAnswer, p, reply, failure)
	if w.Said == SaidNothing || w.Said == SaidNotFound {
		if err := s.Parts.Unanswered(ctx, s, p, w); err != nil {
			return p, err
		}
		return s.latest(ctx, p)
	}
	done, err := s.Settle(ctx, w)
	if err != nil {
		return p, err
	}
	return done.Payment, nil
}

// unanswered leaves the payment UNKNOWN: the money may be gone, so it is neither refused nor tried again, but asked about.
func unanswered(ctx context.Context, s *Service, _ Payment, w Word) error {
	w.Said = SaidNothing
	_, err := s.Settle(ctx, w)
	return err
}

func (s *Service) latest(ctx context.Context, p Payment) (Payment, error) {
	now, err := PaymentByID(ctx, s.Store, p.ID)
	if err != nil {
		return p, err
	}
	return now, nil
}
