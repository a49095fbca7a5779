package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// precreate issues a key for one order of one merchant.
func (s *Service) precreate(w http.ResponseWriter, r *http.Request) {
	req, err := s.readPay(r, false)
	if err != nil {
		Refusal(req, http.StatusBadRequest, CodeBadRequest, err.Error()).send(w)
		return
	}
	token, life := uuid.NewString(), s.Config.TokenTTL.Std()
	if err := s.Cache.Set(r.Context(), s.Key(TokenKey(req.Merchant, token)), req.OrderID, life).Err(); err != nil {
		s.busy(req, fmt.Errorf("issuing a key: %w", err)).send(w)
		return
	}
	s.Log.Step(req.OrderID, req.TraceID, "pay.precreate", "SUCCESS", by(req.Merchant))
	respond(w, http.StatusOK, map[string]any{"code": CodeOK, "token": token, "expires_in": seconds(life)})
}

// pay carries out one request: legal, repeat, risk, execute, persist, answer.
func (s *Service) pay(w http.ResponseWriter, r *http.Request) {
	req, err := s.readPay(r, true)
	if err != nil {
		Refusal(req, http.StatusBadRequest, CodeBadRequest, err.Error()).send(w)
		return
	}
	s.submitted(w, r, req, s.Parts.Admit)
}

// guard is what stands at a door: it lets one request of an order through and answers the others.
type guard = func(context.Context, *Service, PayRequest) (Admission, error)

// submitted carries a request out that came by one of the doors.
func (s *Service) submitted(w http.ResponseWriter, r *http.Request, req PayRequest, admit guard) {
	key, refusal := s.Parts.Keyed(req)
	if refusal != nil {
		refusal.send(w)
		return
	}
	req.Key = key
	s.Log.Step(req.OrderID, req.TraceID, "pay.submit", "BEGIN", fmt.Sprintf("%s amount=%d channel=%s", by(req.Merchant), req.Amount, req.Channel))
	a := within(r.Context(), s, func(ctx context.Context, admitted chan<- Payment) Answer {
		return s.carryOut(ctx, req, admit, admitted)
	},
		func(ctx context.Context, p Payment) Answer {
			latest, _ := s.latest(ctx, p) // as it was admitted, where it cannot be read
			return AnswerOf(latest)
		})
	a.OrderID, a.TraceID = req.OrderID, req.TraceID
	s.Log.Step(req.OrderID, req.TraceID, "pay.answer", a.Code, fmt.Sprintf("http=%d status=%s replayed=%t", a.HTTP, a.Status, a.Replayed))
	a.send(w)
}

// keyed takes the key as it was given. One is never made up here: a client that gives none could not say that it repeats.
func keyed(r PayRequest) (string, *Answer) {
	switch {
	case r.Key == "":
		a := Refusal(r, http.StatusBadRequest, CodeNoKey, "give the key from precreate in X-Idempotency-Key, or in the form as token")
		return "", &a
	case !keyRule.MatchString(r.Key):
		a := Refusal(r, http.StatusBadRequest, CodeBadRequest, "the key must match "+keyRule.String())
		return "", &a
	}
	return r.Key, nil
}

// within waits for the end of a request for at most service_timeout, and then tells how far it is. The work does not
// depend on the wait: whoever has taken a key sees to it that there is a row, and drives it, however long the client
// waits. Cache, database and bank are each bounded by a time-out of their own.
func within[Row any](ctx context.Context, s *Service, work func(context.Context, chan<- Row) Answer, sofar func(context.Context, Row) Answer) Answer {
	patience := time.NewTimer(s.Config.ServiceTimeout.Std())
	defer patience.Stop()
	ctx = context.WithoutCancel(ctx)
	admitted, ended := make(chan Row, 1), make(chan Answer, 1)
	s.work.Go(func() { ended <- work(ctx, admitted) })
	select {
	case a := <-ended:
		return a
	case <-patience.C:
	}
	select {
	case row := <-admitted:
		return sofar(ctx, row)
	default:
		return Answer{HTTP: http.StatusGatewayTimeout, Code: CodeGateway, Message: "no answer in time; the request goes on, ask for it"}
	}
}

// carryOut admits a request, tells so, and drives its payment to an end.
func (s *Service) carryOut(ctx context.Context, req PayRequest, admit guard, admitted chan<- Payment) Answer {
	admission, err := admit(ctx, s, req)
	switch {
	case err != nil:
		return s.busy(req, err)
	case admission.Answer != nil:
		return *admission.Answer
	}
	p := admission.Payment
	s.Log.Step(req.OrderID, req.TraceID, "db.update", "SUCCESS", fmt.Sprintf("rows=1 status=%s payment=%s attempt=%d", Pending, p.ID, p.Attempt))
	admitted <- p
	p, err = s.Drive(ctx, p)
	if err != nil {
		s.Log.Step(req.OrderID, req.TraceID, "pay.execute", "ERROR", err.Error())
	}
	if errors.Is(err, ErrNothingDone) {
		return s.busy(req, err)
	}
	return AnswerOf(p)
}

// order tells the state of an order.
func (s *Service) order(w http.ResponseWriter, r *http.Request) {
	req := PayRequest{Merchant: r.Header.Get("X-Merchant-Id"), OrderID: chi.URLParam(r, "order"), TraceID: traceOf(r)}
	if !s.readable(req) {
		s.badOrder(req).send(w)
		return
	}
	p, err := PaymentByOrder(r.Context(), s.Store, req.Merchant, req.OrderID)
	switch {
	case errors.Is(err, ErrAbsent):
		Refusal(req, http.StatusNotFound, CodeNotFound, "no payment of this order").send(w)
	case err != nil:
		s.busy(req, err).send(w)
	default:
		a := AnswerOf(p)
		a.HTTP = http.StatusOK
		a.send(w)
	}
}

// readable reports whether a merchant may ask about an order of this name.
func (s *Service) readable(req PayRequest) bool {
	return nameRule.MatchString(req.Merchant) && nameRule.MatchString(req.OrderID) && s.allowed(req.Merchant)
}

func (s *Service) badOrder(req PayRequest) Answer {
	return Refusal(req, http.StatusBadRequest, CodeBadRequest, "give X-Merchant-Id of one of our merchants, and an order, that match "+nameRule.String())
}

// busy tells that nothing was done, and logs why; the client is not told about our insides.
func (s *Service) busy(req PayRequest, cause error) Answer {
	s.Log.Step(req.OrderID, req.TraceID, "pay.submit", "BUSY", cause.Error())
	return Refusal(req, http.StatusServiceUnavailable, CodeBusy, "nothing was done; try again with the same key")
}
