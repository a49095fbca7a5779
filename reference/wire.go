package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/google/uuid"
)

// Codes of an Answer.
const (
	CodeOK         = "OK"
	CodeSuccess    = "SUCCESS"
	CodeDeclined   = "DECLINED"
	CodeProcessing = "PROCESSING"
	CodeRepeat     = "REPEAT_SUBMIT"
	CodeConflict   = "KEY_CONFLICT"
	CodeBadRequest = "BAD_REQUEST"
	CodeNoKey      = "KEY_REQUIRED"
	CodeKeyUnknown = "KEY_UNKNOWN"
	CodeNotFound   = "NOT_FOUND"
	CodeBusy       = "SYSTEM_BUSY"
	CodeGateway    = "GATEWAY_TIMEOUT"
	CodeSignature  = "BAD_SIGNATURE"

	CodeNotRefundable = "NOT_REFUNDABLE"
	CodeRefundExceeds = "REFUND_EXCEEDS"
	CodeClosed        = "ORDER_CLOSED"
	CodeNotClosed     = "NOT_CLOSED"
)

// PayRequest is a legal request to pay an order.
type PayRequest struct {
	OrderID  string `json:"order_id"`
	Channel  string `json:"channel"`
	Amount   int64  `json:"amount"` // minor units
	Currency string `json:"currency"`
	Account  string `json:"account"`

	Merchant string `json:"-"`
	Key      string `json:"-"`
	TraceID  string `json:"-"`
}

// Answer is what a client is told about a payment or a refund, with the status code that carries it.
type Answer struct {
	HTTP      int    `json:"-"`
	Code      string `json:"code"`
	Message   string `json:"message,omitempty"`
	PaymentID string `json:"payment_id,omitempty"`
	OrderID   string `json:"order_id,omitempty"`
	Status    Status `json:"status,omitempty"`
	Amount    int64  `json:"amount,omitempty"`
	Currency  string `json:"currency,omitempty"`
	TradeNo   string `json:"trade_no,omitempty"`
	RefundID  string `json:"refund_id,omitempty"`
	RefundNo  string `json:"refund_no,omitempty"`
	Refunded  int64  `json:"refunded,omitempty"` // minor units given back, or promised to be
	TraceID   string `json:"trace_id,omitempty"`
	Replayed  bool   `json:"replayed"`
}

// AnswerOf tells the state of a payment: 200 paid, also where it was refunded since, 402 refused, 410 closed, 202 none of
// these as yet.
func AnswerOf(p Payment) Answer {
	a := Answer{
		HTTP: http.StatusAccepted, Code: CodeProcessing, Message: "the payment is under way; ask for the order", PaymentID: p.ID, OrderID: p.OrderID,
		Status: p.Status, Amount: p.Amount, Currency: p.Currency, TradeNo: p.TradeNo, Refunded: p.Refunded, TraceID: p.TraceID,
	}
	switch p.Status {
	case Success, PartlyRefunded, Refunded:
		a.HTTP, a.Code, a.Message = http.StatusOK, CodeSuccess, ""
	case Failed:
		a.HTTP, a.Code, a.Message = http.StatusPaymentRequired, CodeDeclined, p.Reason
	case Closed:
		a.HTTP, a.Code, a.Message = http.StatusGone, CodeClosed, "the order was closed unpaid"
	}
	return a
}

// Refusal tells that a request is not carried out.
func Refusal(r PayRequest, status int, code, message string) Answer {
	return Answer{HTTP: status, Code: code, Message: message, OrderID: r.OrderID, TraceID: r.TraceID}
}

// Conflict tells that the key, or only the order, is in use for a request with other details.
func Conflict(r PayRequest, sameKey bool) *Answer {
	message := "this order is already being paid, with other details"
	if sameKey {
		message = "this key was used for a request with other details"
	}
	a := Refusal(r, http.StatusUnprocessableEntity, CodeConflict, message)
	return &a
}

var (
	nameRule     = regexp.MustCompile(`^[A-Za-z0-9._:@-]{1,64}$`)
	keyRule      = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	currencyRule = regexp.MustCompile(`^[A-Z]{3}$`)
	channelRule  = regexp.MustCompile(`^(WECHAT|ALIPAY|BANK)$`)
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 10

// readPay reads a request and says what is illegal about it. Unknown fields are legal: clients add cosmetic ones.
func (s *Service) readPay(r *http.Request, needAccount bool) (PayRequest, error) {
	req := PayRequest{Merchant: r.Header.Get("X-Merchant-Id"), Key: r.Header.Get("X-Idempotency-Key"), TraceID: traceOf(r)}
	if err := decode(r.Body, &req); err != nil {
		return req, err
	}
	return req, s.legal(req, needAccount)
}

// legal says what is illegal about a request to pay, its key left aside.
func (s *Service) legal(req PayRequest, needAccount bool) error {
	var faults []error
	for _, f := range []struct {
		field, value string
		rule         *regexp.Regexp
	}{
		{"order_id", req.OrderID, nameRule}, {"channel", req.Channel, channelRule}, {"currency", req.Currency, currencyRule},
		{"account", req.Account, nameRule}, {"X-Merchant-Id", req.Merchant, nameRule},
	} {
		if f.field == "account" && !needAccount && f.value == "" {
			continue
		}
		if !f.rule.MatchString(f.value) {
			faults = append(faults, fmt.Errorf("%s must match %s", f.field, f.rule))
		}
	}
	if req.Amount < 1 {
		faults = append(faults, errors.New("amount must be a whole number of minor units, at least 1"))
	}
	if !s.allowed(req.Merchant) {
		faults = append(faults, errors.New("X-Merchant-Id is not one of our merchants"))
	}
	return errors.Join(faults...)
}

// decode reads exactly one JSON value of bounded size.
func decode(from io.Reader, into any) error {
	body, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	if err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	if len(body) > maxBody {
		return fmt.Errorf("the body is larger than %d bytes", maxBody)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("reading the body as JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("reading the body as JSON: something follows the first value")
	}
	return nil
}

func traceOf(r *http.Request) string {
	if trace := r.Header.Get("X-Trace-Id"); keyRule.MatchString(trace) {
		return trace
	}
	return "T" + uuid.NewString()
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (a Answer) send(w http.ResponseWriter) { respond(w, a.HTTP, a) }

// seconds rounds up, so that what is given back is never shorter than what holds.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
