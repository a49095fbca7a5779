package reference

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// sendRefund takes a refund that is PENDING, or UNKNOWN and not at the bank, to the bank, once and outside any
// transaction, under the number that it has had from its beginning.
func sendRefund(ctx context.Context, s *Service, f Refund) (Refund, error) {
	f, begun, err := s.BeginRefund(ctx, f)
	if err != nil || !begun {
		return f, err
	}
	reply, err := s.AskRefund(ctx, f)
	return s.RefundAnswered(ctx, f, reply, err)
}

// BeginRefund moves a refund to PROCESSING. It reports false with the latest row where another caller was faster.
func (s *Service) BeginRefund(ctx context.Context, f Refund) (Refund, bool, error) {
	now, begun := s.Millis(), false
	err := s.Store.Tx(ctx, func(tx *Tx) (err error) {
		if begun, err = tx.MoveRefund(ctx, f, Processing, now); err != nil || begun || !tx.InDoubt {
			return err
		}
		// Perhaps by our own earlier run; a second request under the same number does nothing at the bank.
		latest, err := RefundRowByID(ctx, tx, f.ID)
		begun = latest.Status == Processing && latest.UpdatedAt == now
		return err
	})
	if err != nil {
		return f, false, fmt.Errorf("beginning refund %s: %w", f.RefundNo, err)
	}
	if !begun {
		f, err = s.latestRefund(ctx, f)
		return f, false, err
	}
	f.Status, f.UpdatedAt = Processing, now
	return f, true, nil
}

// AskRefund sends a refund under its number, once.
func (s *Service) AskRefund(ctx context.Context, f Refund) (Reply, error) {
	s.Log.Step(f.OrderID, f.TraceID, "bank.refund", "START", fmt.Sprintf("refund_no=%s trade_no=%s amount=%d", f.RefundNo, f.TradeNo, f.Amount))
	reply, err := s.Bank.Refund(ctx, RefundOrder{RefundNo: f.RefundNo, TradeNo: f.TradeNo, Amount: f.Amount, NotifyURL: s.notifyURL()})
	if err != nil {
		s.Log.Step(f.OrderID, f.TraceID, "bank.refund", "UNKNOWN", err.Error())
		return reply, err
	}
	s.Log.Step(f.OrderID, f.TraceID, "bank.refund", reply.Status, fmt.Sprintf("refund_no=%s reason=%s", f.RefundNo, reply.Reason))
	return reply, nil
}

// notifyURL is where the bank sends its notifications; empty asks for none.
func (s *Service) notifyURL() string {
	if s.Config.PublicURL == "" {
		return ""
	}
	return strings.TrimRight(s.Config.PublicURL, "/") + callbackPath
}

// RefundAnswered persists what the bank answered to AskRefund, or that it did not, and returns the row as it is afterwards.
func (s *Service) RefundAnswered(ctx context.Context, f Refund, reply Reply, failure error) (Refund, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), persistWithin)
	defer cancel()
	w := s.RefundWord(FromAnswer, f, reply, failure)
	var err error
	if w.Said == SaidNothing || w.Said == SaidNotFound {
		err = s.Parts.RefundUnanswered(ctx, s, f, w)
	} else {
		_, err = s.SettleRefund(ctx, w)
	}
	if err != nil {
		return f, err
	}
	return s.latestRefund(ctx, f)
}

// refundUnanswered leaves the refund UNKNOWN, its amount reserved: the money may have been given back, so it is neither
// called FAILED nor sent under another number, but asked about.
func refundUnanswered(ctx context.Context, s *Service, _ Refund, w Word) error {
	w.Said = SaidNothing
	_, err := s.SettleRefund(ctx, w)
	return err
}

// refundOutcome reads an answer of the bank about a refund. A refund of money that the bank does not hold is refused for
// good; everything else that is not clearly one of the bank's words is SaidNothing.
func refundOutcome(r Reply, err error) Said {
	if errors.Is(err, ErrRefused) {
		return SaidFailed
	}
	if said := outcome(r, err); said != SaidClosed {
		return said
	}
	return SaidNothing // refunds are not closed
}

// RefundWord makes the word of an answer to our own call about a refund.
func (s *Service) RefundWord(source string, f Refund, r Reply, err error) Word {
	w := Word{
		Said: s.Parts.RefundOutcome(r, err), Source: source, TradeNo: f.TradeNo, RefundNo: f.RefundNo, PaymentID: f.PaymentID,
		Amount: r.Amount, Currency: orElse(r.Currency, f.Currency), Reason: clip(r.Reason, 128),
	}
	if err != nil {
		w.Amount, w.Reason = f.Amount, "NO_ANSWER"
		if errors.Is(err, ErrRefused) {
			w.Reason = "NOT_DEBITED"
		}
	}
	return w
}

func (s *Service) latestRefund(ctx context.Context, f Refund) (Refund, error) {
	now, err := RefundRowByID(ctx, s.Store, f.ID)
	if err != nil {
		return f, err
	}
	return now, nil
}
