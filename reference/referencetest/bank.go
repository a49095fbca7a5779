package referencetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onedebit/reference"
)

// Operations of the bank.
const (
	Debit = "debit"
	Query = "query"
	Close = "close"

	Refund      = "refund"
	QueryRefund = "query-refund"
)

// Act is what the bank does with one request beyond its duty.
type Act struct {
	Before   <-chan struct{}        // waits for this before it acts
	Refuse   bool                   // answers 503 and does not act
	Decline  string                 // refuses the debit for this reason
	Accept   bool                   // takes the debit on, answers PROCESSING, moves no money
	Hold     <-chan struct{}        // acts, and answers when this is closed
	Drop     bool                   // acts, and cuts the connection instead of answering
	Garble   string                 // acts, and answers 200 with this
	Amend    func(*reference.Reply) // acts, and changes its answer
	NotFound bool                   // says that it does not know the number
	Code     int                    // acts, and answers this HTTP status with a body that is none of the bank's
}

// Ledger is one trade number at the bank.
type Ledger struct {
	Order  reference.Order
	Status string // SUCCESS, FAILED, PROCESSING or CLOSED
	Reason string
}

// Bank is a bank of the smallest kind: one trade number, one debit; one refund number, one refund. It does not bound the
// sum of refunds.
type Bank struct {
	mu     sync.Mutex
	acts   func(op string, n int, tradeNo string) Act
	trades map[string]*Ledger
	given  map[string]*GivenBack
	calls  map[string]int
	server *httptest.Server
}

// GivenBack is one refund number at the bank.
type GivenBack struct {
	Order  reference.RefundOrder
	Status string // SUCCESS, FAILED or PROCESSING
	Reason string
}

func startBank(t testing.TB) *Bank {
	b := &Bank{trades: map[string]*Ledger{}, given: map[string]*GivenBack{}, calls: map[string]int{}, acts: func(string, int, string) Act { return Act{} }}
	b.server = httptest.NewServer(b)
	t.Cleanup(func() {
		b.server.CloseClientConnections()
		b.server.Close()
	})
	return b
}

// Act sets what the bank does: n counts the requests of this operation from 1.
func (b *Bank) Act(acts func(op string, n int, tradeNo string) Act) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acts = acts
}

// Put makes the bank hold a trade number in a state, as if it had received it earlier.
func (b *Bank) Put(o reference.Order, status string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trades[o.TradeNo] = &Ledger{Order: o, Status: status}
}

// Set changes the state of a trade number that the bank holds.
func (b *Bank) Set(tradeNo, status string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trades[tradeNo].Status = status
}

// Calls counts the requests of an operation.
func (b *Bank) Calls(op string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[op]
}

// Debits returns the trade numbers under which an account was debited.
func (b *Bank) Debits(account string) (numbers []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for number, entry := range b.trades {
		if entry.Status == "SUCCESS" && entry.Order.Account == account {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// Refunds returns what the bank holds under every refund number of a trade number.
func (b *Bank) Refunds(tradeNo string) (entries []GivenBack) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, entry := range b.given {
		if entry.Order.TradeNo == tradeNo {
			entries = append(entries, *entry)
		}
	}
	return entries
}

// SetRefund changes the state of a refund number that the bank holds.
func (b *Bank) SetRefund(refundNo, status string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.given[refundNo].Status = status
}

// Forget makes the bank one that a refund number has not reached.
func (b *Bank) Forget(refundNo string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.given, refundNo)
}

// Trades returns what the bank holds under every trade number of an account.
func (b *Bank) Trades(account string) (entries []Ledger) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, entry := range b.trades {
		if entry.Order.Account == account {
			entries = append(entries, *entry)
		}
	}
	return entries
}

// ServeHTTP implements the bank's API.
func (b *Bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op, order, back := understood(r)
	b.mu.Lock()
	b.calls[op]++
	act := b.acts(op, b.calls[op], order.TradeNo+back.RefundNo)
	b.mu.Unlock()
	wait(r, act.Before)
	if act.Refuse {
		answer(w, http.StatusServiceUnavailable, map[string]string{"code": "DOWN"})
		return
	}
	status, body := 0, any(nil)
	if back.RefundNo != "" {
		status, body = b.actRefund(op, back, act)
	} else {
		status, body = b.act(op, order, act)
	}
	wait(r, act.Hold)
	switch {
	case act.Drop:
		cut(w)
	case act.Code != 0:
		answer(w, act.Code, map[string]string{"code": "ERROR"})
	case act.Garble != "":
		_, _ = w.Write([]byte(act.Garble))
	default:
		answer(w, status, body)
	}
}

// understood reads a request: about a trade number, or about a refund number.
func understood(r *http.Request) (op string, order reference.Order, back reference.RefundOrder) {
	path := r.URL.Path
	switch {
	case r.Method == http.MethodPost && path == "/v1/debits":
		_ = json.NewDecoder(r.Body).Decode(&order)
		return Debit, order, back
	case r.Method == http.MethodPost && path == "/v1/refunds":
		_ = json.NewDecoder(r.Body).Decode(&back)
		return Refund, order, back
	case strings.HasPrefix(path, "/v1/refunds/"):
		back.RefundNo = strings.TrimPrefix(path, "/v1/refunds/")
		return QueryRefund, order, back
	}
	order.TradeNo = strings.TrimPrefix(path, "/v1/debits/")
	if number, ok := strings.CutSuffix(order.TradeNo, "/close"); ok {
		order.TradeNo = number
		return Close, order, back
	}
	return Query, order, back
}

func (b *Bank) actRefund(op string, back reference.RefundOrder, act Act) (int, any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entry := b.given[back.RefundNo]
	if op == QueryRefund && (entry == nil || act.NotFound) {
		return http.StatusNotFound, map[string]string{"code": "NOT_FOUND"}
	}
	if entry == nil {
		if debit := b.trades[back.TradeNo]; debit == nil || debit.Status != "SUCCESS" {
			return http.StatusConflict, map[string]string{"code": "NOT_DEBITED"}
		}
		entry = &GivenBack{Order: back, Status: "SUCCESS", Reason: act.Decline}
		if act.Decline != "" {
			entry.Status = "FAILED"
		} else if act.Accept {
			entry.Status = "PROCESSING"
		}
		b.given[back.RefundNo] = entry
	}
	reply := reference.Reply{RefundNo: back.RefundNo, TradeNo: entry.Order.TradeNo, Status: entry.Status, Amount: entry.Order.Amount, Reason: entry.Reason}
	if act.Amend != nil {
		act.Amend(&reply)
	}
	return http.StatusOK, reply
}

func (b *Bank) act(op string, order reference.Order, act Act) (int, any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entry := b.trades[order.TradeNo]
	missing := entry == nil || act.NotFound
	switch {
	case op == Query && missing:
		return http.StatusNotFound, map[string]string{"code": "NOT_FOUND"}
	case op == Close && entry == nil:
		b.trades[order.TradeNo] = &Ledger{Order: order, Status: "CLOSED"}
		return http.StatusOK, map[string]string{"status": "CLOSED"}
	case op == Close && entry.Status != "CLOSED":
		return http.StatusConflict, map[string]string{"status": entry.Status}
	case op == Close:
		return http.StatusOK, map[string]string{"status": "CLOSED"}
	case op == Debit && entry != nil && entry.Status == "CLOSED":
		return http.StatusConflict, map[string]string{"code": "CLOSED"}
	case op == Debit && entry == nil:
		entry = &Ledger{Order: order, Status: "SUCCESS", Reason: act.Decline}
		if act.Decline != "" {
			entry.Status = "FAILED"
		} else if act.Accept {
			entry.Status = "PROCESSING"
		}
		b.trades[order.TradeNo] = entry
	}
	reply := reference.Reply{
		TradeNo: order.TradeNo, BankID: "K-" + strconv.Itoa(len(b.trades)), Status: entry.Status,
		Amount: entry.Order.Amount, Currency: entry.Order.Currency, Reason: entry.Reason,
	}
	if act.Amend != nil {
		act.Amend(&reply)
	}
	return http.StatusOK, reply
}

func wait(r *http.Request, until <-chan struct{}) {
	if until == nil {
		return
	}
	select {
	case <-until:
	case <-r.Context().Done():
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// cut resets the connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	reset(conn)
}
