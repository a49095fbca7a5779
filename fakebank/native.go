package fakebank

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// native is the bank's own API: debits, refunds, their queries, and GET /readyz.
type native struct{ secret string }

func (native) Handler(b *Bank) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { b.Ready(w) })
	for pattern, read := range map[string]func(*http.Request, []byte) (Call, error){
		"POST /v1/debits":                  readDebit,
		"GET /v1/debits/{trade_no}":        numberOf(OpQuery),
		"POST /v1/debits/{trade_no}/close": numberOf(OpClose),
		"POST /v1/refunds":                 readRefund,
		"GET /v1/refunds/{refund_no}":      numberOf(OpQuery),
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			b.Serve(w, r, func(r *http.Request, body []byte) Request { return nativeRequest(read(r, body)) })
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusNotFound, problem{Code: "NO_SUCH_PATH", Message: fmt.Sprintf(
			"%s %s is not part of the bank: use /v1/debits or /v1/refunds", r.Method, r.URL.Path)})
	})
	return mux
}

// Ready answers whether the bank works: 200, or 503 while it shuts down.
func (b *Bank) Ready(w http.ResponseWriter) {
	b.mu.Lock()
	gone := b.closed
	b.mu.Unlock()
	if gone {
		writeJSON(w, http.StatusServiceUnavailable, shutDown)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

func nativeRequest(c Call, err error) Request {
	return Request{Call: c, Err: err,
		Act:    func(do func(Call) Outcome) Answer { return nativeAnswer(do(c), c.Op) },
		Refuse: func(o Outcome) Answer { return nativeAnswer(o, c.Op) },
	}
}

// nativeStatuses are the HTTP statuses of what the bank does not do; all others are 409.
var nativeStatuses = map[string]int{
	"": http.StatusOK, BadRequest: http.StatusBadRequest, NotFound: http.StatusNotFound,
	Full: http.StatusServiceUnavailable, ServerError: http.StatusInternalServerError,
}

func nativeAnswer(o Outcome, op string) Answer {
	a := Answer{HTTP: http.StatusConflict, Outcome: o}
	if status, other := nativeStatuses[o.Code]; other {
		a.HTTP = status
	}
	switch {
	case o.Code == NotClosed:
		a.Body = marshal(problem{o.Code, o.Message, o.TradeNo, o.Status})
	case o.Code != "":
		a.Body = marshal(problem{Code: o.Code, Message: o.Message})
	case op == OpClose:
		a.Body = marshal(debitView{TradeNo: o.TradeNo, Status: o.Status})
	case o.RefundNo != "":
		a.Body = marshal(refundView{o.RefundNo, o.TradeNo, o.Status, o.Amount, o.Reason})
	default:
		a.Body = marshal(debitView{o.TradeNo, o.BankID, o.Status, o.Amount, o.Currency, o.Reason})
	}
	return a
}

// debitView is a debit as the service sees it.
type debitView struct {
	TradeNo  string `json:"trade_no"`
	BankID   string `json:"bank_id,omitempty"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// refundView is a refund as the service sees it.
type refundView struct {
	RefundNo string `json:"refund_no"`
	TradeNo  string `json:"trade_no"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Reason   string `json:"reason,omitempty"`
}

// problem is every answer that is not a debit or a refund.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	TradeNo string `json:"trade_no,omitempty"`
	Status  string `json:"status,omitempty"`
}

var shutDown = problem{Code: "CLOSED_DOWN", Message: "the bank is shutting down; nothing was done"}

// wireDebit and wireRefund are the requests as they come in.
type wireDebit struct {
	Merchant  string `json:"merchant"`
	TradeNo   string `json:"trade_no"`
	Account   string `json:"account"`
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	NotifyURL string `json:"notify_url"`
}

type wireRefund struct {
	RefundNo  string `json:"refund_no"`
	TradeNo   string `json:"trade_no"`
	Amount    int64  `json:"amount"`
	NotifyURL string `json:"notify_url"`
}

func readDebit(_ *http.Request, body []byte) (Call, error) {
	c := Call{Op: OpDebit}
	var d wireDebit
	if err := DecodeObject(body, &d); err != nil {
		return c, err
	}
	c.TradeNo, c.Merchant, c.Account, c.Amount, c.Currency = d.TradeNo, d.Merchant, d.Account, d.Amount, d.Currency
	c.Notify = nativeNotify(d.NotifyURL)
	return c, errors.Join(CheckWord("merchant", d.Merchant), CheckWord("trade_no", d.TradeNo), CheckWord("account", d.Account),
		CheckAmount("amount", d.Amount), CheckCurrency("currency", d.Currency), CheckURL("notify_url", d.NotifyURL))
}

func readRefund(_ *http.Request, body []byte) (Call, error) {
	c := Call{Op: OpRefund}
	var f wireRefund
	if err := DecodeObject(body, &f); err != nil {
		return c, err
	}
	c.TradeNo, c.RefundNo, c.Amount, c.Notify = f.TradeNo, f.RefundNo, f.Amount, nativeNotify(f.NotifyURL)
	return c, errors.Join(CheckWord("refund_no", f.RefundNo), CheckWord("trade_no", f.TradeNo), CheckAmount("amount", f.Amount),
		CheckURL("notify_url", f.NotifyURL))
}

func nativeNotify(url string) Notify { return Notify{URL: url, Prefix: "N"} }

// numberOf reads requests that say everything in their path.
func numberOf(op string) func(*http.Request, []byte) (Call, error) {
	return func(r *http.Request, _ []byte) (Call, error) {
		c := Call{Op: op, TradeNo: r.PathValue("trade_no"), RefundNo: r.PathValue("refund_no")}
		if c.RefundNo != "" {
			return c, CheckWord("refund_no", c.RefundNo)
		}
		return c, CheckWord("trade_no", c.TradeNo)
	}
}

// notificationView is the body of a callback.
type notificationView struct {
	NotificationID string    `json:"notification_id"`
	Merchant       string    `json:"merchant,omitempty"`
	TradeNo        string    `json:"trade_no"`
	Status         string    `json:"status"`
	Amount         int64     `json:"amount"`
	Currency       string    `json:"currency"`
	Time           time.Time `json:"time"` // when the notification was made; the same on every try
	RefundNo       string    `json:"refund_no,omitempty"`
}

func (s native) Callback(n Notification) (Message, error) {
	o := n.Outcome
	m := Message{Method: http.MethodPost, URL: n.URL, Header: http.Header{}, Body: marshal(notificationView{NotificationID: n.ID,
		Merchant: o.Merchant, TradeNo: o.TradeNo, Status: o.Status, Amount: o.Amount, Currency: o.Currency, Time: n.Made, RefundNo: o.RefundNo})}
	if n.Unsigned() {
		return m, nil
	}
	secret := s.secret
	if n.Forged() {
		secret += " forged"
	}
	timestamp := strconv.FormatInt(n.Now.Unix(), 10)
	m.Header.Set(headerTimestamp, timestamp)
	m.Header.Set(headerSignature, Sign(secret, timestamp, m.Body))
	return m, nil
}

func (native) Forget() {}

func (native) Took(_ Notification, status int) Acknowledgement {
	if status >= 200 && status < 300 {
		return Taken
	}
	return NotTaken
}

// marshal writes one of our own plain structs, which cannot fail, but for a clock in the year 10000.
func marshal(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("marshalling an answer: %v", err))
	}
	return text
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	WriteAnswer(w, Answer{HTTP: status, Body: marshal(body)})
}
