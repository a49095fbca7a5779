package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// expired reports whether a payment is to be closed and no longer driven.
func expired(p Payment, now int64) bool { return p.ExpiresAt <= now }

// closeOrder gives an unpaid order up: at the bank first, so that no number of it can be debited any more. It returns the
// row as it is afterwards, which is not CLOSED where the bank has the money, or does not answer; the reconciler then
// tries again.
func closeOrder(ctx context.Context, s *Service, p Payment) (Payment, error) {
	for range maxRaces {
		switch p.Status {
		case Pending: // no number of it can be debited
			moved, latest, err := s.closePending(ctx, p)
			if err != nil || moved {
				return latest, err
			}
			p = latest
		case Processing, Unknown:
			return s.closeAtBank(ctx, p)
		default:
			return p, nil
		}
	}
	return p, fmt.Errorf("closing payment %s: %w", p.ID, errRaced)
}

func (s *Service) closePending(ctx context.Context, p Payment) (moved bool, latest Payment, err error) {
	next := p
	next.Reason = "EXPIRED"
	err = s.Store.Tx(ctx, func(tx *Tx) error {
		moved, err = tx.Move(ctx, next, Closed, s.Millis())
		return err
	})
	if err != nil {
		return false, p, fmt.Errorf("closing payment %s: %w", p.ID, err)
	}
	latest, err = s.latest(ctx, p)
	if err == nil && moved {
		s.Log.Step(p.OrderID, p.TraceID, "db.update", "SUCCESS", fmt.Sprintf("rows=1 from=%s status=%s by=close", Pending, Closed))
	}
	return moved, latest, err
}

func (s *Service) closeAtBank(ctx context.Context, p Payment) (Payment, error) {
	err := s.Bank.Close(ctx, p.TradeNo)
	s.Log.Step(p.OrderID, p.TraceID, "bank.close", said(err), "trade_no="+p.TradeNo)
	w := Word{Said: SaidClosed, Source: FromQuery, TradeNo: p.TradeNo, PaymentID: p.ID}
	switch {
	case errors.Is(err, ErrNotClosed):
		if w = s.Inquire(ctx, p); w.Said == SaidNotFound || w.Said == SaidNothing {
			return p, nil
		}
	case err != nil:
		return p, nil // it is in the log; nothing is known, so nothing changes
	}
	done, err := s.Settle(ctx, w)
	if err != nil {
		return p, err
	}
	return done.Payment, nil
}

func said(err error) string {
	if err != nil {
		return "ERROR: " + err.Error()
	}
	return "SUCCESS"
}

// closing closes an order on request.
func (s *Service) closing(w http.ResponseWriter, r *http.Request) {
	req := PayRequest{Merchant: r.Header.Get("X-Merchant-Id"), OrderID: chi.URLParam(r, "order"), TraceID: traceOf(r)}
	if !s.readable(req) {
		s.badOrder(req).send(w)
		return
	}
	ctx := context.WithoutCancel(r.Context())
	p, err := PaymentByOrder(ctx, s.Store, req.Merchant, req.OrderID)
	if errors.Is(err, ErrAbsent) {
		Refusal(req, http.StatusNotFound, CodeNotFound, "no payment of this order").send(w)
		return
	}
	if err == nil && !p.Status.Final() {
		// Stored first: whoever comes upon the row from now on closes it, should we not get to it.
		if _, err = s.Store.Exec(ctx, `UPDATE pay_transaction SET expires_at = 0 WHERE id = ?`, p.ID); err == nil {
			p.ExpiresAt = 0
			p, err = s.Parts.Close(ctx, s, p)
		}
	}
	if err != nil {
		s.Log.Step(req.OrderID, req.TraceID, "order.close", "ERROR", err.Error())
		Refusal(req, http.StatusServiceUnavailable, CodeBusy, "the order may yet be closed; ask for the order, or try again").send(w)
		return
	}
	a := closedAnswer(p)
	a.TraceID = req.TraceID
	s.Log.Step(req.OrderID, req.TraceID, "order.close", a.Code, fmt.Sprintf("http=%d status=%s", a.HTTP, a.Status))
	a.send(w)
}

// closedAnswer tells the end of a request to close: 200 where the order is closed, or dead anyhow, 409 where it is paid,
// 202 where the bank has not said as yet.
func closedAnswer(p Payment) Answer {
	a := AnswerOf(p)
	switch {
	case p.Status.Paid():
		a.HTTP, a.Code, a.Message = http.StatusConflict, CodeNotClosed, "the order is paid"
	case p.Status == Closed:
		a.HTTP, a.Code, a.Message = http.StatusOK, CodeClosed, ""
	case p.Status == Failed:
		a.HTTP = http.StatusOK
	}
	return a
}
