package fakebank

import "time"

// account is one customer's money, in minor units of whatever currency is debited.
type account struct {
	opening, held, debited, refunded, reversed int64
}

func (a *account) balance() int64 { return a.opening - a.held - a.debited + a.refunded + a.reversed }

// canDebit says why not, or nothing. The bounds keep every sum far from overflow.
func (a *account) canDebit(amount int64) (reason string) {
	switch {
	case amount > a.balance():
		return "INSUFFICIENT_FUNDS"
	case amount > maxTurnover-a.debited-a.held:
		return "LIMIT_EXCEEDED"
	}
	return ""
}

// act is one deed of the bank upon a debit request. A trade number has more than one only in mode Naive.
type act struct {
	bankID, tradeNo, merchant, account, currency string
	amount                                       int64
	status, reason                               string
	undone                                       bool // debited, then reversed
	made                                         time.Time
	notify                                       Notify
	notificationID                               string
}

// Statuses of payments; refunds are only Success and Failed.
const (
	Open       = "OPEN"       // known, no money asked for yet
	Held       = "HELD"       // money set aside
	Success    = "SUCCESS"    // money taken
	Failed     = "FAILED"     // refused, reversed or let go
	Processing = "PROCESSING" // taken on, money not moved yet
	Closed     = "CLOSED"     // ended without money
)

// trade is all that the bank knows of a trade number.
type trade struct {
	number   string
	closed   bool
	opened   Call // how it was made known before money was asked for, and when; Op is empty where it was not
	made     time.Time
	acts     []*act
	refunded int64
	memo     any
}

// standing is the act that the trade number stands for: the last that holds money, else the last that may still come
// to, else the last; nil where there was none.
func (t *trade) standing() *act {
	var best *act
	rank := map[string]int{Success: 2, Held: 1, Processing: 1}
	for _, a := range t.acts {
		if best == nil || rank[a.status] >= rank[best.status] {
			best = a
		}
	}
	return best
}

// touched says that money was taken or may still be taken under the number, also where it was given back since. Money
// that is set aside is not taken.
func (t *trade) touched() bool {
	for _, a := range t.acts {
		if a.status != Failed && a.status != Held || a.undone {
			return true
		}
	}
	return false
}

// taken is the money that the bank has taken under the number and not given back by reversal.
func (t *trade) taken() (sum int64) {
	for _, a := range t.acts {
		if a.status == Success {
			sum += a.amount
		}
	}
	return sum
}

// refund is one refund, under a number that is the service's.
type refund struct {
	number, tradeNo string
	amount          int64
	bound           bool // it may not exceed what is left
	status, reason  string
	of              *act
	made            time.Time
	notify          Notify
	notificationID  string
	memo            any
}

func (a *act) line(kind string) entry {
	return entry{Kind: kind, Op: OpDebit, TradeNo: a.tradeNo, BankID: a.bankID, Merchant: a.merchant, Account: a.account,
		Amount: a.amount, Currency: a.currency, Status: a.status, Detail: a.reason}
}

// accountLocked is the account of that name, which comes into being on first use.
func (b *Bank) accountLocked(name string) *account {
	a, ok := b.accounts[name]
	if !ok {
		a = &account{opening: b.openingOf(name)}
		b.accounts[name] = a
	}
	return a
}

func (b *Bank) openingOf(name string) int64 {
	if opening, ok := b.config.Accounts[name]; ok {
		return opening
	}
	return b.config.OpeningBalance
}

// takeLocked moves the money of an act, or finds that it cannot. It reports whether the money was taken.
func (b *Bank) takeLocked(a *act) bool {
	account := b.accountLocked(a.account)
	if a.reason = account.canDebit(a.amount); a.reason != "" {
		b.declineLocked(a, a.reason)
		return false
	}
	account.debited += a.amount
	a.status = Success
	b.recordLocked(a.line(kindDebit))
	return true
}

func (b *Bank) declineLocked(a *act, reason string) {
	a.status, a.reason = Failed, reason
	b.recordLocked(a.line(kindDecline))
}

// reverseLocked undoes a debit. It reports whether there was one to undo.
func (b *Bank) reverseLocked(t *trade, a *act) bool {
	if a.status != Success || t.refunded > 0 {
		return false
	}
	b.accountLocked(a.account).reversed += a.amount
	a.status, a.reason, a.undone = Failed, "REVERSED", true
	b.recordLocked(a.line(kindReversal))
	return true
}
