package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// refund carries out one request to give money back: legal, repeat, amount, execute, persist, answer.
func (s *Service) refund(w http.ResponseWriter, r *http.Request) {
	req, err := s.readRefund(r)
	if err != nil {
		refundRefused(req, http.StatusBadRequest, CodeBadRequest, err.Error()).Answer.send(w)
		return
	}
	s.Log.Step(req.OrderID, req.TraceID, "refund.submit", "BEGIN", fmt.Sprintf("%s refund_id=%s amount=%d", by(req.Merchant), req.RefundID, req.Amount))
	a := within(r.Context(), s, func(ctx context.Context, admitted chan<- Refund) Answer { return s.carryOutRefund(ctx, req, admitted) },
		func(ctx context.Context, f Refund) Answer {
			latest, _ := s.latestRefund(ctx, f) // as it was admitted, where it cannot be read
			return AnswerOfRefund(latest)
		})
	a.OrderID, a.RefundID, a.TraceID = req.OrderID, req.RefundID, req.TraceID
	s.Log.Step(req.OrderID, req.TraceID, "refund.answer", a.Code, fmt.Sprintf("http=%d refund_id=%s status=%s replayed=%t", a.HTTP, req.RefundID, a.Status, a.Replayed))
	a.send(w)
}

// carryOutRefund admits a request, tells so, and drives its refund to an end.
func (s *Service) carryOutRefund(ctx context.Context, req RefundRequest, admitted chan<- Refund) Answer {
	admission, err := s.Parts.AdmitRefund(ctx, s, req)
	switch {
	case err != nil:
		s.Log.Step(req.OrderID, req.TraceID, "refund.submit", "BUSY", err.Error())
		return *refundRefused(req, http.StatusServiceUnavailable, CodeBusy, "nothing was done; try again with the same refund id").Answer
	case admission.Answer != nil:
		return *admission.Answer
	}
	f := admission.Refund
	s.Log.Step(f.OrderID, f.TraceID, "refund.update", "SUCCESS", fmt.Sprintf("rows=1 status=%s refund_no=%s", Pending, f.RefundNo))
	admitted <- f
	if f, err = s.Parts.Refund(ctx, s, f); err != nil {
		s.Log.Step(f.OrderID, f.TraceID, "refund.execute", "ERROR", err.Error())
	}
	return AnswerOfRefund(f)
}

// readRefund reads a request and says what is illegal about it.
func (s *Service) readRefund(r *http.Request) (RefundRequest, error) {
	req := RefundRequest{Merchant: r.Header.Get("X-Merchant-Id"), TraceID: traceOf(r)}
	if err := decode(r.Body, &req); err != nil {
		return req, err
	}
	faults := named("order_id", req.OrderID, "refund_id", req.RefundID, "X-Merchant-Id", req.Merchant)
	if req.Amount < 1 {
		faults = append(faults, errors.New("amount must be a whole number of minor units, at least 1"))
	}
	if !s.allowed(req.Merchant) {
		faults = append(faults, errors.New("X-Merchant-Id is not one of our merchants"))
	}
	return req, errors.Join(faults...)
}

// named checks pairs of a field and its value that must be a name.
func named(pairs ...string) (faults []error) {
	for i := 0; i < len(pairs); i += 2 {
		if !nameRule.MatchString(pairs[i+1]) {
			faults = append(faults, fmt.Errorf("%s must match %s", pairs[i], nameRule))
		}
	}
	return faults
}

// refundState tells the state of a refund.
func (s *Service) refundState(w http.ResponseWriter, r *http.Request) {
	req := RefundRequest{Merchant: r.Header.Get("X-Merchant-Id"), RefundID: chi.URLParam(r, "refund"), TraceID: traceOf(r)}
	if faults := named("refund_id", req.RefundID, "X-Merchant-Id", req.Merchant); len(faults) > 0 || !s.allowed(req.Merchant) {
		refundRefused(req, http.StatusBadRequest, CodeBadRequest, "give X-Merchant-Id and a refund id that match "+nameRule.String()).Answer.send(w)
		return
	}
	f, err := RefundByKey(r.Context(), s.Store, req.Merchant, req.RefundID)
	switch {
	case errors.Is(err, ErrAbsent):
		refundRefused(req, http.StatusNotFound, CodeNotFound, "no refund of this id").Answer.send(w)
	case err != nil:
		s.Log.Step("", req.TraceID, "refund.query", "BUSY", err.Error())
		refundRefused(req, http.StatusServiceUnavailable, CodeBusy, "the state cannot be read; try again").Answer.send(w)
	default:
		a := AnswerOfRefund(f)
		a.HTTP = http.StatusOK
		a.send(w)
	}
}
