package fakebank

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Language is how a bank and the services that use it talk: it understands requests and words answers and notifications.
// What is decided about money, and how behaviours bend it, is the bank's and the same in all of them. A Language serves
// one bank and is used from many goroutines.
type Language interface {
	// Handler is the bank's API. It hands each request that it has a reading for to Bank.Serve.
	Handler(b *Bank) http.Handler
	// Callback words one try of a notification.
	Callback(n Notification) (Message, error)
	// Took says what the status of an answer to a notification means.
	Took(n Notification, status int) Acknowledgement
	// Forget forgets all requests, as the bank forgets its books.
	Forget()
}

// Acknowledgement is what an answer to a notification means.
type Acknowledgement int

// The acknowledgements.
const (
	NotTaken Acknowledgement = iota // it is tried again
	Taken                           // it has arrived
	Turned                          // the service has heard it and will not have it: trying again would change nothing
)

// Call is one request, read and understood.
type Call struct {
	Op                                   string // OpDebit and the like
	TradeNo, RefundNo, Merchant, Account string
	Amount                               int64 // minor units; 0 in a refund or a capture: all that is left
	Currency                             string
	Detail                               string // further words of the request, for the ledger; at most 4 KiB
	// Repeat is what becomes of a debit or hold under a trade number that has one: Dedupe, Refuse, Naive, Once, or nothing,
	// which is the bank's mode.
	Repeat string
	// Known refuses a debit or hold under a trade number that no call has made known.
	Known bool
	// Bound refuses a refund that exceeds what is left, whatever the bank's settings.
	Bound  bool
	Notify Notify
	// Memo is the language's own knowledge of the payment, or refund; the bank keeps it and gives it back in outcomes.
	// Nil leaves what is kept.
	Memo any
}

// Once is a Repeat: a payment is taken once. Where money was taken, is held or under way, a further debit or hold is
// refused; after a decline it may be tried again.
const Once = "once"

// Notify is where and how a service wants to be notified. Without a URL it is not.
type Notify struct {
	URL    string
	Name   string // which of the language's callbacks
	Prefix string // of the ids of its notifications
	// Of are the statuses, in lower case, that it is notified of; none stands for success and failed.
	Of []string
	// Delay is the time from the answer to the notification; nil is the bank's.
	Delay *time.Duration
}

func (n Notify) wants(status string) bool {
	if n.URL == "" {
		return false
	}
	if len(n.Of) == 0 {
		return status == Success || status == Failed
	}
	return slices.Contains(n.Of, strings.ToLower(status))
}

// Request is a request with what a Language makes of it.
type Request struct {
	Call Call
	// Err says why it was not understood; then nothing is done, and Refuse words the answer.
	Err error
	// Act carries the call out through do, which moves the money, or answers it from memory, and words the answer.
	Act func(do func(Call) Outcome) Answer
	// Refuse words an answer of the bank where Act is not asked: BadRequest, ServerError, NotFound, or a code that nobody knows.
	Refuse func(Outcome) Answer
}

// Codes of what a bank does not do.
const (
	BadRequest  = "BAD_REQUEST"  // not understood
	ServerError = "SERVER_ERROR" // a behaviour answers a 5xx
	Full        = "FULL"         // no more numbers can be remembered
	NotFound    = "NOT_FOUND"    // no such payment or refund
	Duplicate   = "DUPLICATE"    // the trade number was used before
	Mismatch    = "MISMATCH"     // the number was used before, for something else
	NotClosed   = "NOT_CLOSED"   // money was taken, or is under way
	NotDebited  = "NOT_DEBITED"  // there is no money to give back
	NotHeld     = "NOT_HELD"     // there is no hold to capture
)

// Outcome is what the bank did, or would not do, upon a call.
type Outcome struct {
	Code    string // why the call was not carried out; empty where it was, now or before
	Message string // the same in words
	// Status is that of the payment or refund: Open, Held, Success, Failed, Processing or Closed; empty where there is none.
	Status string
	Reason string // why it is Failed

	TradeNo, RefundNo, BankID, Merchant, Account, Currency string

	Amount   int64     // of the debit, hold or refund, in minor units
	Total    int64     // of the payment, where Amount is that of a refund
	Taken    int64     // money that the bank has taken for the payment and not reversed
	Refunded int64     // money given back of it
	Made     time.Time // when the debit, hold or refund was asked for
	Memo     any       // of the payment
	Of       any       // memo of the refund
}

// Answer is an answer as it goes onto the wire.
type Answer struct {
	HTTP    int
	Header  http.Header // further headers; Content-Type is application/json where it names none
	Body    []byte
	Outcome Outcome // what it tells, for the ledger
	Detail  string  // how it came about, for the ledger
	// Done, where it is set, hears once what was answered in the end: a behaviour may give something else, or nothing, which
	// is this very answer with given false.
	Done func(a Answer, given bool)
}

// Notification is one try to tell a service something.
type Notification struct {
	Notify
	ID      string
	Attempt int       // from 1
	Made    time.Time // when it was decided on; the same on every try
	Now     time.Time // of this try, plus the skew that it was given
	Sign    string    // good, bad or none
	Outcome Outcome   // what it says; may be forged
}

// Forged says that the signature has to be under another key, and Unsigned that there must be none.
func (n Notification) Forged() bool   { return n.Sign == signBad }
func (n Notification) Unsigned() bool { return n.Sign == signNone }

// Message is a notification as it goes onto the wire.
type Message struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}
