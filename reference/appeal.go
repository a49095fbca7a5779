package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	appealRows   = 200       // of each table
	appealAround = time.Hour // log steps so far from the time that the appeal names
)

// Appeal is the whole chain of one order, for whoever has to explain it.
type Appeal struct {
	Code     string `json:"code"`
	Merchant string `json:"merchant"`
	OrderID  string `json:"order_id"`
	Instance string `json:"instance"` // whose log steps these are; the rows are those of all instances

	Payments  []AppealPayment  `json:"payments"`
	Trades    []AppealTrade    `json:"trades"`
	Callbacks []AppealCallback `json:"callbacks"`
	Refunds   []AppealRefund   `json:"refunds"`
	Surplus   []Surplus        `json:"surplus"`
	Events    []AppealEvent    `json:"events"`
	Effects   []AppealEffect   `json:"effects"`
	Alarms    []Alarm          `json:"alarms"`
	Steps     []Step           `json:"steps"` // of the log, of this instance and since its start
}

// AppealPayment is one attempt to pay. Neither key nor account is told.
type AppealPayment struct {
	ID        string `db:"id" json:"id"`
	Attempt   int    `db:"attempt" json:"attempt"`
	Status    Status `db:"status" json:"status"`
	Channel   string `db:"channel" json:"channel"`
	Amount    int64  `db:"amount" json:"amount"`
	Refunded  int64  `db:"refunded" json:"refunded"`
	Currency  string `db:"currency" json:"currency"`
	TradeNo   string `db:"trade_no" json:"trade_no"`
	BankID    string `db:"bank_id" json:"bank_id"`
	Reason    string `db:"reason" json:"reason,omitempty"`
	TraceID   string `db:"trace_id" json:"trace_id"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
	UpdatedAt int64  `db:"updated_at" json:"updated_at"`
}

// AppealTrade is one trade number.
type AppealTrade struct {
	TradeNo   string `db:"trade_no" json:"trade_no"`
	PaymentID string `db:"payment_id" json:"payment_id"`
	Status    string `db:"status" json:"status"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
}

// AppealCallback is one notification and what it did.
type AppealCallback struct {
	ID         string `db:"notification_id" json:"notification_id"`
	TradeNo    string `db:"trade_no" json:"trade_no"`
	RefundNo   string `db:"refund_no" json:"refund_no,omitempty"`
	Status     string `db:"status" json:"status"`
	Amount     int64  `db:"amount" json:"amount"`
	Result     string `db:"result" json:"result"`
	ReceivedAt int64  `db:"received_at" json:"received_at"`
}

// AppealRefund is one refund.
type AppealRefund struct {
	RefundID  string `db:"refund_id" json:"refund_id"`
	RefundNo  string `db:"refund_no" json:"refund_no"`
	TradeNo   string `db:"trade_no" json:"trade_no"`
	Kind      string `db:"kind" json:"kind"`
	Status    Status `db:"status" json:"status"`
	Amount    int64  `db:"amount" json:"amount"`
	Currency  string `db:"currency" json:"currency"`
	Reason    string `db:"reason" json:"reason,omitempty"`
	Refusal   string `db:"refusal" json:"refusal,omitempty"`
	TraceID   string `db:"trace_id" json:"trace_id"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
	UpdatedAt int64  `db:"updated_at" json:"updated_at"`
}

// AppealEvent is one event; SentAt is 0 until the broker has it.
type AppealEvent struct {
	ID        string `db:"event_id" json:"event_id"`
	Type      string `db:"type" json:"type"`
	Ref       string `db:"ref" json:"ref"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
	SentAt    int64  `db:"sent_at" json:"sent_at"`
}

// AppealEffect is one thing that an event brought.
type AppealEffect struct {
	Kind      string `db:"kind" json:"kind"`
	ID        string `db:"id" json:"id"`
	CreatedAt int64  `db:"created_at" json:"created_at"`
}

// appeal answers a complaint: an order number, and perhaps a time.
func (s *Service) appeal(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		OrderID string    `json:"order_id"`
		At      time.Time `json:"at"` // RFC 3339
	}
	req := PayRequest{Merchant: r.Header.Get("X-Merchant-Id"), TraceID: traceOf(r)}
	err := decode(r.Body, &asked)
	req.OrderID = asked.OrderID
	switch {
	case err != nil:
		Refusal(req, http.StatusBadRequest, CodeBadRequest, err.Error()+`; give order_id, and at as "2006-01-02T15:04:05Z" if it is known`).send(w)
		return
	case !s.readable(req):
		s.badOrder(req).send(w)
		return
	}
	chain, err := s.chain(r.Context(), req.Merchant, req.OrderID, asked.At)
	switch {
	case errors.Is(err, ErrAbsent):
		Refusal(req, http.StatusNotFound, CodeNotFound, "no payment of this order").send(w)
	case err != nil:
		s.Log.Step(req.OrderID, req.TraceID, "appeal", "BUSY", err.Error())
		Refusal(req, http.StatusServiceUnavailable, CodeBusy, "the chain cannot be read; try again").send(w)
	default:
		respond(w, http.StatusOK, chain)
	}
}

// chain reads everything that is known about an order; ErrAbsent where nothing is.
func (s *Service) chain(ctx context.Context, merchant, order string, at time.Time) (Appeal, error) {
	a := Appeal{Code: CodeOK, Merchant: merchant, OrderID: order, Instance: s.Config.Instance}
	const mine = ` WHERE merchant = ? AND order_id = ? `
	for _, q := range []struct {
		into  any
		query string
		more  []any
	}{
		{&a.Payments, `SELECT id, attempt, status, channel, amount, refunded, currency, trade_no, bank_id, reason, trace_id, created_at, updated_at
			FROM pay_transaction` + mine + `ORDER BY attempt, created_at`, nil},
		{&a.Trades, `SELECT trade_no, payment_id, status, created_at FROM bank_trade` + mine + `ORDER BY created_at, trade_no`, nil},
		{&a.Callbacks, `SELECT notification_id, trade_no, refund_no, status, amount, result, received_at FROM callback
			WHERE trade_no IN (SELECT trade_no FROM bank_trade` + mine + `) ORDER BY received_at, notification_id`, nil},
		{&a.Refunds, `SELECT refund_id, refund_no, trade_no, kind, status, amount, currency, reason, refusal, trace_id, created_at, updated_at
			FROM refund` + mine + `ORDER BY created_at, refund_id`, nil},
		{&a.Surplus, `SELECT * FROM surplus` + mine + `ORDER BY created_at, trade_no`, nil},
		{&a.Events, `SELECT event_id, type, ref, created_at, COALESCE(sent_at, 0) AS sent_at FROM outbox_event` + mine + `ORDER BY created_at, event_id`, nil},
		{&a.Alarms, `SELECT * FROM alarm` + mine + `ORDER BY created_at, id`, nil},
		{&a.Effects, `SELECT kind, id, created_at FROM (SELECT 'membership' AS kind, id, created_at FROM membership` + mine + `
			UNION ALL SELECT 'coupon', id, created_at FROM coupon` + mine + `
			UNION ALL SELECT 'refund-notice', refund_id, created_at FROM refund_notice` + mine + `) effects ORDER BY created_at, kind, id`,
			[]any{merchant, order, merchant, order}},
	} {
		args := append([]any{merchant, order}, q.more...)
		if err := s.Store.Select(ctx, q.into, q.query+` LIMIT ?`, append(args, appealRows)...); err != nil {
			return a, fmt.Errorf("reading the chain of order %s: %w", order, err)
		}
	}
	if len(a.Payments) == 0 {
		return a, fmt.Errorf("chain of order %s: %w", order, ErrAbsent)
	}
	a.Steps = s.stepsOf(a, at)
	return a, nil
}

// by begins the detail of the first line of a request.
func by(merchant string) string { return "merchant=" + merchant }

// stepsOf returns the log steps of an order. Another merchant's order of the same number is told apart by its traces: ours
// are those of our rows, and of the requests that have named us.
func (s *Service) stepsOf(a Appeal, at time.Time) []Step {
	traces := map[string]bool{"": true}
	all := s.Log.Steps(a.OrderID)
	for _, step := range all {
		if strings.HasPrefix(step.Detail+" ", by(a.Merchant)+" ") {
			traces[step.TraceID] = true
		}
	}
	for _, p := range a.Payments {
		traces[p.TraceID] = true
	}
	for _, f := range a.Refunds {
		traces[f.TraceID] = true
	}
	steps := []Step{}
	for _, step := range all {
		if (at.IsZero() || step.At.Sub(at).Abs() <= appealAround) && traces[step.TraceID] {
			steps = append(steps, step)
		}
	}
	return steps
}
