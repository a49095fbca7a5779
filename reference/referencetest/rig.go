// Package referencetest puts a reference service on a stage of the smallest kind, so that its tests and those of its
// mutants can speak to it over HTTP: a bank of a few lines, a cache in the process, a queue only where it is asked for.
package referencetest

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"onedebit/reference"
)

// Patience bounds every wait for something that must happen.
const Patience = 20 * time.Second

// Merchant is the merchant of all requests that do not name another.
const Merchant = "M1"

// Secret signs the bank's notifications.
const Secret = "s3cret"

// Rig is one service on its stage.
type Rig struct {
	T       testing.TB
	Bank    *Bank
	Cache   *miniredis.Miniredis
	Config  reference.Config
	Parts   reference.Parts
	Service *reference.Service
	Log     *Lines
	Link    *DatabaseLink // to the database, where that is a server

	stop func()
}

// Option changes the configuration or the parts before the service is put together.
type Option func(*Rig)

// With changes the configuration.
func With(change func(*reference.Config)) Option { return func(r *Rig) { change(&r.Config) } }

// Mutate changes the parts.
func Mutate(change func(*reference.Parts)) Option { return func(r *Rig) { change(&r.Parts) } }

// Queue gives the service a broker; without it the queue cannot be reached.
func Queue() Option {
	return func(r *Rig) {
		broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100*time.Millisecond))
		require.NoError(r.T, err)
		r.T.Cleanup(broker.Close)
		r.Config.Queue = "kafka://" + broker.ListenAddrs()[0]
	}
}

// Setup returns a rig whose service is not started yet.
func Setup(t testing.TB, options ...Option) *Rig {
	t.Helper()
	r := &Rig{T: t, Bank: startBank(t), Cache: miniredis.RunT(t), Parts: reference.Correct(), Config: reference.Defaults(), Log: &Lines{}}
	ms := reference.Duration(time.Millisecond)
	r.Config.Listen, r.Config.BankSecret, r.Config.PublicURL = "127.0.0.1:0", Secret, "http://127.0.0.1:9"
	r.Config.Database = "sqlite://" + filepath.Join(t.TempDir(), "pay.db")
	r.Config.Cache, r.Config.Bank, r.Config.Queue = "redis://"+r.Cache.Addr()+"/0", r.Bank.server.URL, "kafka://127.0.0.1:9"
	r.Config.GatewayTimeout, r.Config.ServiceTimeout = 15_000*ms, 20_000*ms // a slow machine is no fault of the service
	r.Config.ReconcileEvery, r.Config.RelayEvery = 20*ms, 10*ms
	r.Config.ReconcileUnknownAfter, r.Config.ReconcileProcessingAfter = 20*ms, 3000*ms
	r.Config.Breaker.Open = 50 * ms
	for _, option := range options {
		option(r)
	}
	return r
}

// Start returns a rig whose service runs until the test ends.
func Start(t testing.TB, options ...Option) *Rig {
	t.Helper()
	r := Setup(t, options...)
	r.Start()
	return r
}

// Start puts the service together and runs it.
func (r *Rig) Start() {
	r.T.Helper()
	service, err := reference.New(r.T.Context(), r.Config, r.Parts, r.Log, time.Now)
	require.NoError(r.T, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.T.Context()))
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	var once sync.Once
	r.Service = service
	r.stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-ended:
				require.NoError(r.T, err)
			case <-time.After(Patience):
				require.Fail(r.T, "the service did not stop")
			}
		})
	}
	r.T.Cleanup(r.stop)
}

// Stop ends the service and waits for it.
func (r *Rig) Stop() { r.stop() }

// Request is one request to pay, with values that a test seldom cares about filled in.
type Request struct {
	Order, Key, Merchant, Trace, Channel, Currency, Account string
	Amount                                                  int64
}

func (q Request) filled() Request {
	for _, f := range []struct {
		field *string
		value string
	}{{&q.Merchant, Merchant}, {&q.Channel, "WECHAT"}, {&q.Currency, "CNY"}, {&q.Account, "A-" + q.Order}, {&q.Trace, "T-" + q.Order}} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	if q.Amount == 0 {
		q.Amount = 500
	}
	return q
}

// Token has a key issued for an order.
func (r *Rig) Token(order string) string {
	r.T.Helper()
	q := Request{Order: order}.filled()
	var got struct {
		Token string `json:"token"`
	}
	code, body := r.Do(http.MethodPost, "/api/payment/precreate", q.body(), http.Header{"X-Merchant-Id": {q.Merchant}})
	require.Equal(r.T, http.StatusOK, code, "%s", body)
	require.NoError(r.T, json.Unmarshal(body, &got))
	return got.Token
}

// Pay sends one request to pay and returns the answer with its status code in HTTP.
func (r *Rig) Pay(q Request) reference.Answer {
	r.T.Helper()
	q = q.filled()
	header := http.Header{"X-Merchant-Id": {q.Merchant}, "X-Trace-Id": {q.Trace}}
	if q.Key != "" {
		header.Set("X-Idempotency-Key", q.Key)
	}
	return r.answer(r.Do(http.MethodPost, "/api/payment/pay", q.body(), header))
}

// PayNew pays an order under a fresh key.
func (r *Rig) PayNew(order string) reference.Answer {
	r.T.Helper()
	return r.Pay(Request{Order: order, Key: r.Token(order)})
}

// Order asks for the state of an order.
func (r *Rig) Order(order string) reference.Answer {
	r.T.Helper()
	return r.answer(r.Do(http.MethodGet, "/api/payment/orders/"+order, nil, http.Header{"X-Merchant-Id": {Merchant}}))
}

// Refund sends one request to give money back and returns the answer with its status code in HTTP.
func (r *Rig) Refund(order, refundID string, amount int64) reference.Answer {
	r.T.Helper()
	return r.RefundBy(Merchant, order, refundID, amount)
}

// RefundBy is Refund by another merchant.
func (r *Rig) RefundBy(merchant, order, refundID string, amount int64) reference.Answer {
	r.T.Helper()
	body, err := json.Marshal(map[string]any{"order_id": order, "refund_id": refundID, "amount": amount, "reason": "returned"})
	require.NoError(r.T, err)
	return r.answer(r.Do(http.MethodPost, "/api/refunds", body, http.Header{"X-Merchant-Id": {merchant}}))
}

// RefundState asks for the state of a refund.
func (r *Rig) RefundState(refundID string) reference.Answer {
	r.T.Helper()
	return r.answer(r.Do(http.MethodGet, "/api/refunds/"+refundID, nil, http.Header{"X-Merchant-Id": {Merchant}}))
}

// CloseOrder asks to close an order.
func (r *Rig) CloseOrder(order string) reference.Answer {
	r.T.Helper()
	return r.answer(r.Do(http.MethodPost, "/api/payment/orders/"+order+"/close", nil, http.Header{"X-Merchant-Id": {Merchant}}))
}

// RefundBecomes waits until a refund is in a state.
func (r *Rig) RefundBecomes(refundID string, status reference.Status) reference.Answer {
	r.T.Helper()
	var last reference.Answer
	r.Until(func() bool {
		last = r.RefundState(refundID)
		return last.Status == status
	}, "refund %s did not become %s", refundID, status)
	return last
}

func (q Request) body() []byte {
	body, _ := json.Marshal(map[string]any{"order_id": q.Order, "channel": q.Channel, "amount": q.Amount, "currency": q.Currency, "account": q.Account})
	return body
}

func (r *Rig) answer(code int, body []byte) (a reference.Answer) {
	r.T.Helper()
	require.NoError(r.T, json.Unmarshal(body, &a), "%s", body)
	a.HTTP = code
	return a
}

// Do sends one request on a connection of its own.
func (r *Rig) Do(method, path string, body []byte, header http.Header) (int, []byte) {
	r.T.Helper()
	code, answer, err := r.try(method, path, body, header)
	require.NoError(r.T, err)
	return code, answer
}

func (r *Rig) try(method, path string, body []byte, header http.Header) (int, []byte, error) {
	request, err := http.NewRequestWithContext(r.T.Context(), method, "http://"+r.Service.Addr()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header, request.Close = header, true
	answer, err := (&http.Client{Timeout: Patience}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	return answer.StatusCode, content, err
}

// Together sends requests side by side and returns the answers in the same order.
func (r *Rig) Together(requests ...Request) []reference.Answer {
	r.T.Helper()
	answers := make([]reference.Answer, len(requests))
	var all sync.WaitGroup
	for i, q := range requests {
		all.Go(func() { answers[i] = r.Pay(q) })
	}
	all.Wait()
	return answers
}

// Notify sends a notification of the bank and returns the status code.
func (r *Rig) Notify(n reference.Notification) int {
	r.T.Helper()
	body, err := json.Marshal(n)
	require.NoError(r.T, err)
	return r.NotifyRaw(body, time.Now(), Secret)
}

// NotifyRaw sends any bytes as a notification, signed with a secret at a time.
func (r *Rig) NotifyRaw(body []byte, at time.Time, secret string) int {
	r.T.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	code, _ := r.Do(http.MethodPost, "/api/payment/callback", body, http.Header{
		"X-Bank-Timestamp": {stamp}, "X-Bank-Signature": {hex.EncodeToString(reference.Sign(secret, stamp, body))}})
	return code
}

// Rows returns the rows of an order, oldest attempt first.
func (r *Rig) Rows(order string) (rows []reference.Payment) {
	r.T.Helper()
	require.NoError(r.T, r.Service.Store.Select(r.T.Context(), &rows, `SELECT * FROM pay_transaction WHERE order_id = ? ORDER BY attempt, created_at`, order))
	return rows
}

// Count counts rows of a table; where is a condition with ? placeholders.
func (r *Rig) Count(table, where string, args ...any) (n int) {
	r.T.Helper()
	require.NoError(r.T, r.Service.Store.Get(r.T.Context(), &n, fmt.Sprintf(`SELECT COUNT(*) FROM %s WHERE %s`, table, where), args...))
	return n
}

// Becomes waits until the row of an order, or its last one, is in a state.
func (r *Rig) Becomes(order string, status reference.Status) reference.Payment {
	r.T.Helper()
	var last reference.Payment
	r.Until(func() bool {
		rows := r.Rows(order)
		if len(rows) == 0 {
			return false
		}
		last = rows[len(rows)-1]
		return last.Status == status
	}, "order %s did not become %s", order, status)
	return last
}

// Until waits for something that must happen.
func (r *Rig) Until(happened func() bool, message string, args ...any) {
	r.T.Helper()
	require.Eventuallyf(r.T, happened, Patience, 2*time.Millisecond, message, args...)
}

// Next takes the next value of a channel that something must come from.
func Next[T any](t testing.TB, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(Patience):
		require.Fail(t, "nothing came")
	}
	return value
}

// Lines is what the service logged.
type Lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns everything logged so far.
func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
