package reference

import (
	"context"
	"fmt"
)

// refundRound takes up the refunds that nobody else will finish: UNKNOWN ones, those whose process must have died, and
// those of surplus money, which have no client.
func (s *Service) refundRound(ctx context.Context) error {
	now := s.Millis()
	var due []Refund
	err := s.Store.Select(ctx, &due, selectRefund+`WHERE (status IN ('PENDING', 'UNKNOWN') AND updated_at <= ?)
		OR (status = 'PROCESSING' AND updated_at <= ?) ORDER BY updated_at LIMIT ?`,
		now-s.Config.ReconcileUnknownAfter.Std().Milliseconds(), now-s.Config.ReconcileProcessingAfter.Std().Milliseconds(), reconcileBatch)
	if err != nil {
		return err
	}
	sideBySide(ctx, due, s.refundRow)
	return nil
}

func (s *Service) refundRow(ctx context.Context, f Refund) {
	mine, err := s.Parts.TakeUpRefund(ctx, s, &f)
	if err == nil && mine {
		err = s.Parts.ReconcileRefund(ctx, s, f)
	}
	if err != nil {
		s.Log.Step(f.OrderID, f.TraceID, "refund.query", "ERROR", err.Error())
	}
}

// reconcileRefund asks the bank what became of one refund and settles what it says. A refund of which the bank has
// nothing is sent again under its number, which the bank carries out at most once whatever is still on its way.
func reconcileRefund(ctx context.Context, s *Service, f Refund) error {
	if f.Status == Pending {
		_, err := s.Parts.Refund(ctx, s, f)
		return err
	}
	reply, err := s.Bank.QueryRefund(ctx, f.RefundNo)
	w := s.RefundWord(FromQuery, f, reply, err)
	detail := fmt.Sprintf("refund_no=%s status=%s", f.RefundNo, f.Status)
	if err != nil {
		detail += " " + err.Error()
	}
	s.Log.Step(f.OrderID, f.TraceID, "refund.query", string(w.Said), detail)
	switch w.Said {
	case SaidNothing, SaidProcessing:
		return nil
	case SaidNotFound:
		w.Said = SaidNothing
	}
	done, err := s.SettleRefund(ctx, w)
	if err != nil || done.Refund.Status != Unknown {
		return err
	}
	_, err = s.Parts.Refund(ctx, s, done.Refund)
	return err
}
