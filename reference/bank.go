package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"
)

// ErrNotFound is wrapped by a query of a trade number, or refund number, that the bank says it never saw. Only the bank's own JSON says
// so; the 404 page of something in between does not.
var ErrNotFound = errors.New("the bank does not know this number")

// ErrNotClosed is wrapped by a close that the bank refused, because something was debited under the number.
var ErrNotClosed = errors.New("the bank did not close this trade number")

// ErrRefused is wrapped by a refund that the bank will never carry out, because it holds no money under the trade number.
var ErrRefused = errors.New("the bank holds no such money")

// ErrBreakerOpen is wrapped by a call that was not made, because the bank has failed too often of late.
var ErrBreakerOpen = errors.New("the bank is not asked for a while")

// Order asks the bank to debit an account.
type Order struct {
	Merchant  string `json:"merchant"`
	TradeNo   string `json:"trade_no"`
	Account   string `json:"account"`
	Amount    int64  `json:"amount"` // minor units
	Currency  string `json:"currency"`
	NotifyURL string `json:"notify_url,omitempty"`
}

// Reply is what the bank says about one trade number or refund number.
type Reply struct {
	TradeNo  string `json:"trade_no"`
	BankID   string `json:"bank_id"`
	Status   string `json:"status"` // the bank's own word, not yet one of ours
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Reason   string `json:"reason"`
	RefundNo string `json:"refund_no"` // set where it is about a refund
}

// RefundOrder asks the bank to give money back.
type RefundOrder struct {
	RefundNo  string `json:"refund_no"`
	TradeNo   string `json:"trade_no"`
	Amount    int64  `json:"amount"` // minor units
	NotifyURL string `json:"notify_url,omitempty"`
}

// Bank is the bank as the service sees it. Any error but ErrNotFound, ErrNotClosed and ErrRefused says nothing about
// what the bank did.
type Bank interface {
	// Debit sends one order, once.
	Debit(ctx context.Context, o Order) (Reply, error)
	// Query asks what became of a trade number; ErrNotFound where the bank never saw it.
	Query(ctx context.Context, tradeNo string) (Reply, error)
	// Close makes a trade number unusable; nil means that nothing was debited under it and nothing ever can be.
	Close(ctx context.Context, tradeNo string) error
	// Refund sends one refund, once; the bank carries a refund number out at most once.
	Refund(ctx context.Context, o RefundOrder) (Reply, error)
	// QueryRefund asks what became of a refund number; ErrNotFound where the bank never saw it.
	QueryRefund(ctx context.Context, refundNo string) (Reply, error)
}

// maxBankAnswer bounds what is read of one answer, in bytes.
const maxBankAnswer = 64 << 10

// HTTPBank speaks the bank's HTTP API. It never repeats a request by itself.
type HTTPBank struct {
	base   string
	client *http.Client
	refund time.Duration // for one refund
	within time.Duration // for any other call
}

// NewHTTPBank returns a client for the bank of this configuration; a refund takes at most cfg.RefundTimeout, any other
// call cfg.BankTimeout.
func NewHTTPBank(cfg Config) *HTTPBank {
	return &HTTPBank{base: strings.TrimRight(cfg.Bank, "/"), refund: cfg.RefundTimeout.Std(), within: cfg.BankTimeout.Std(), client: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Debit implements Bank.
func (b *HTTPBank) Debit(ctx context.Context, o Order) (Reply, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return Reply{}, fmt.Errorf("encoding debit %s: %w", o.TradeNo, err)
	}
	reply, err := b.reply(ctx, b.within, http.MethodPost, "/v1/debits", "debiting "+o.TradeNo, body)
	return about(reply, err, reply.TradeNo, o.TradeNo)
}

// Query implements Bank.
func (b *HTTPBank) Query(ctx context.Context, tradeNo string) (Reply, error) {
	reply, err := b.reply(ctx, b.within, http.MethodGet, "/v1/debits/"+url.PathEscape(tradeNo), "querying "+tradeNo, nil)
	return about(reply, err, reply.TradeNo, tradeNo)
}

// Refund implements Bank.
func (b *HTTPBank) Refund(ctx context.Context, o RefundOrder) (Reply, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return Reply{}, fmt.Errorf("encoding refund %s: %w", o.RefundNo, err)
	}
	reply, err := b.reply(ctx, b.refund, http.MethodPost, "/v1/refunds", "refunding "+o.RefundNo, body)
	return about(reply, err, reply.RefundNo, o.RefundNo)
}

// QueryRefund implements Bank.
func (b *HTTPBank) QueryRefund(ctx context.Context, refundNo string) (Reply, error) {
	reply, err := b.reply(ctx, b.within, http.MethodGet, "/v1/refunds/"+url.PathEscape(refundNo), "querying refund "+refundNo, nil)
	return about(reply, err, reply.RefundNo, refundNo)
}

// about refuses an answer that is about another number than the one that was asked about.
func about(reply Reply, err error, got, want string) (Reply, error) {
	if err == nil && got != want {
		return Reply{}, fmt.Errorf("asking the bank about %s: the answer is about %q", want, got)
	}
	return reply, err
}

// Close implements Bank.
func (b *HTTPBank) Close(ctx context.Context, tradeNo string) error {
	code, body, err := b.call(ctx, b.within, http.MethodPost, "/v1/debits/"+url.PathEscape(tradeNo)+"/close", nil)
	if err != nil {
		return fmt.Errorf("closing %s at the bank: %w", tradeNo, err)
	}
	var said struct {
		Status string `json:"status"`
	}
	err = json.Unmarshal(body, &said)
	switch {
	case code == http.StatusOK && err == nil && said.Status == "CLOSED":
		return nil
	case code == http.StatusConflict && err == nil:
		return fmt.Errorf("closing %s at the bank: it says %q: %w", tradeNo, said.Status, ErrNotClosed)
	}
	return &StatusError{Doing: "closing " + tradeNo, Code: code, Body: string(body)}
}

// StatusError is an answer of the bank, or of something before it, that has no meaning in the bank's API.
type StatusError struct {
	Doing string
	Code  int
	Body  string
}

// Error implements error; it shows the beginning of the body.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s at the bank: answer %d: %.120s", e.Doing, e.Code, e.Body)
}

func (b *HTTPBank) reply(ctx context.Context, within time.Duration, method, path, doing string, request []byte) (Reply, error) {
	code, body, err := b.call(ctx, within, method, path, request)
	if err != nil {
		return Reply{}, fmt.Errorf("%s at the bank: %w", doing, err)
	}
	var said struct {
		Reply
		Code string `json:"code"`
	}
	err = json.Unmarshal(body, &said)
	switch {
	case method == http.MethodGet && code == http.StatusNotFound && err == nil && said.Code == "NOT_FOUND":
		return Reply{}, fmt.Errorf("%s: %w", doing, ErrNotFound)
	case path == "/v1/refunds" && err == nil && (code == http.StatusConflict && said.Code == "NOT_DEBITED" || code == http.StatusNotFound && said.Code == "NOT_FOUND"):
		return Reply{}, fmt.Errorf("%s: %s: %w", doing, said.Code, ErrRefused)
	case code != http.StatusOK || err != nil:
		return Reply{}, &StatusError{Doing: doing, Code: code, Body: string(body)}
	}
	return said.Reply, nil
}

func (b *HTTPBank) call(ctx context.Context, within time.Duration, method, path string, request []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var content io.Reader
	if request != nil {
		content = bytes.NewReader(request)
	}
	r, err := http.NewRequestWithContext(ctx, method, b.base+path, content)
	if err != nil {
		return 0, nil, err
	}
	if request != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBankAnswer))
	return answer.StatusCode, body, err
}

// breakerBank keeps calls from a bank that has failed too often in a row. A call that is not made is one more call
// without an answer: an earlier request for the same money may well have arrived.
type breakerBank struct {
	bank    Bank
	breaker *gobreaker.CircuitBreaker[Reply]
}

// newBank is the bank of the correct service: HTTP behind one breaker for all calls.
func newBank(cfg Config) Bank {
	return &breakerBank{bank: NewHTTPBank(cfg), breaker: NewBreaker(cfg.Breaker)}
}

// NewBreaker returns a breaker that counts as failures only calls to which the bank gave no sensible answer.
func NewBreaker(b Breaker) *gobreaker.CircuitBreaker[Reply] {
	return gobreaker.NewCircuitBreaker[Reply](gobreaker.Settings{
		Name:        "bank",
		MaxRequests: 1,
		Timeout:     b.Open.Std(),
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= b.Failures },
		IsSuccessful: func(err error) bool {
			var status *StatusError
			return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrNotClosed) || errors.Is(err, ErrRefused) || errors.As(err, &status) && status.Code < 500
		},
	})
}

func (b *breakerBank) Debit(ctx context.Context, o Order) (Reply, error) {
	return b.through(func() (Reply, error) { return b.bank.Debit(ctx, o) })
}

func (b *breakerBank) Query(ctx context.Context, tradeNo string) (Reply, error) {
	return b.through(func() (Reply, error) { return b.bank.Query(ctx, tradeNo) })
}

func (b *breakerBank) Close(ctx context.Context, tradeNo string) error {
	_, err := b.through(func() (Reply, error) { return Reply{}, b.bank.Close(ctx, tradeNo) })
	return err
}

func (b *breakerBank) Refund(ctx context.Context, o RefundOrder) (Reply, error) {
	return b.through(func() (Reply, error) { return b.bank.Refund(ctx, o) })
}

func (b *breakerBank) QueryRefund(ctx context.Context, refundNo string) (Reply, error) {
	return b.through(func() (Reply, error) { return b.bank.QueryRefund(ctx, refundNo) })
}

func (b *breakerBank) through(call func() (Reply, error)) (Reply, error) {
	reply, err := b.breaker.Execute(call)
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return Reply{}, fmt.Errorf("calling the bank: %w (%w)", ErrBreakerOpen, err)
	}
	return reply, err
}
