package fakebank

import "time"

// Kinds of ledger lines.
const (
	kindRequest  = "request"  // a request was read completely
	kindDebit    = "debit"    // money taken
	kindDecline  = "decline"  // a debit or refund refused for good
	kindAccept   = "accept"   // a debit taken on, money not moved yet
	kindHold     = "hold"     // money set aside, not taken
	kindRelease  = "release"  // money set aside that is let go
	kindReversal = "reversal" // a debit undone by the bank
	kindRefund   = "refund"   // money given back on request
	kindClose    = "close"    // a trade number made unusable, nothing debited under it
	kindAnswer   = "answer"   // an answer given or withheld
	kindCallback = "callback" // one try to deliver a notification, with how it was acknowledged
	kindError    = "error"    // the ledger itself could not go on
)

// What a request asks for. A behaviour that is armed on debits decides captures as well: both take money.
const (
	OpOpen    = "open"    // a payment made known, no money asked for yet
	OpDebit   = "debit"   // money taken at once
	OpHold    = "hold"    // money set aside
	OpCapture = "capture" // money taken of what is set aside
	OpQuery   = "query"
	OpClose   = "close" // a payment ended without money; what is set aside is let go
	OpRefund  = "refund"
	OpOther   = "other" // of other things than a payment
)

// entry is one line of the ledger.
type entry struct {
	Seq            int64     `json:"seq"`            // from 1, without gaps
	Bank           string    `json:"bank,omitempty"` // the name of the bank, where it has one
	At             time.Time `json:"at"`
	Kind           string    `json:"kind"`
	Op             string    `json:"op,omitempty"`
	TradeNo        string    `json:"trade_no,omitempty"`
	RefundNo       string    `json:"refund_no,omitempty"`
	BankID         string    `json:"bank_id,omitempty"` // one for each debit act
	Merchant       string    `json:"merchant,omitempty"`
	Account        string    `json:"account,omitempty"`
	Amount         int64     `json:"amount,omitempty"` // minor units
	Currency       string    `json:"currency,omitempty"`
	Status         string    `json:"status,omitempty"`
	NotificationID string    `json:"notification_id,omitempty"`
	HTTP           int       `json:"http,omitempty"` // status answered, or with which a callback was acknowledged; 0: none
	Detail         string    `json:"detail,omitempty"`
}

// ledger is append-only: a line is never changed, so that a page of it can be read without a lock.
// Appending and paging are guarded by the bank's lock, which also makes the order of the lines that of the deeds.
type ledger struct {
	limit     int
	forgotten int64 // lines before the first one kept, after a reset
	lines     []entry
	truncated bool
}

func (l *ledger) add(e entry) {
	if l.truncated {
		return
	}
	if len(l.lines) == l.limit {
		l.truncated = true
		e = entry{At: e.At, Kind: kindError, Detail: "the ledger is full: nothing after this line is recorded"}
	}
	e.Seq = l.forgotten + int64(len(l.lines)) + 1
	l.lines = append(l.lines, e)
}

// page is the lines after a sequence number, at most n.
func (l *ledger) page(after int64, n int) (lines []entry, more bool) {
	from := min(max(after-l.forgotten, 0), int64(len(l.lines)))
	to := min(from+int64(n), int64(len(l.lines)))
	return l.lines[from:to:to], to < int64(len(l.lines))
}

// forget empties the ledger; the numbers go on, so that a reader who pages on by number meets no line twice.
func (l *ledger) forget() {
	l.forgotten += int64(len(l.lines))
	l.lines = nil
	l.truncated = false
}
