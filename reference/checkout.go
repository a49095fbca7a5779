package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// amountRule is a whole number of minor units as a form spells it: no sign, no point, no exponent.
var amountRule = regexp.MustCompile(`^[1-9][0-9]{0,18}$`)

// checkout is the second door: the form that a checkout page posts. Behind it the request goes the way of every other.
func (s *Service) checkout(w http.ResponseWriter, r *http.Request) {
	req, err := readForm(r)
	if err == nil {
		err = s.legal(req, true)
	}
	if err != nil {
		Refusal(req, http.StatusBadRequest, CodeBadRequest, err.Error()).send(w)
		return
	}
	s.submitted(w, r, req, s.Parts.Checkout)
}

func readForm(r *http.Request) (PayRequest, error) {
	req := PayRequest{Merchant: r.Header.Get("X-Merchant-Id"), TraceID: traceOf(r)}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return req, fmt.Errorf("reading the body: %w", err)
	}
	if len(body) > maxBody {
		return req, fmt.Errorf("the body is larger than %d bytes", maxBody)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return req, fmt.Errorf("reading the body as a form: %w", err)
	}
	req.OrderID, req.Channel, req.Currency, req.Account = form.Get("order_id"), form.Get("channel"), form.Get("currency"), form.Get("account")
	req.Key = form.Get("token")
	if amount := form.Get("amount"); amountRule.MatchString(amount) {
		req.Amount, err = strconv.ParseInt(amount, 10, 64)
	}
	if err != nil {
		return req, errors.New("amount is larger than any amount of money")
	}
	return req, nil
}

// sameGuard lets a request of the second door through as one of the first.
func sameGuard(ctx context.Context, s *Service, r PayRequest) (Admission, error) {
	return s.Parts.Admit(ctx, s, r)
}
