package fakebank

import "fmt"

// ruling bends a debit or refund that is about to be decided. It says whether it was heard: a repeat that is only
// answered again decides nothing.
type ruling struct {
	decline string // refuse for good, with this reason
	accept  bool   // take on without moving money
	heard   bool
}

func refuse(code, format string, args ...any) Outcome {
	return Outcome{Code: code, Message: fmt.Sprintf(format, args...)}
}

// but is the same outcome of a payment, as one that could not be carried out.
func (o Outcome) but(code, format string, args ...any) Outcome {
	o.Code, o.Message = code, fmt.Sprintf(format, args...)
	return o
}

// outcome is how a payment stands.
func (t *trade) outcome() Outcome {
	a := t.standing()
	if a == nil && t.opened.Op != "" {
		c := t.opened
		a = &act{status: Open, merchant: c.Merchant, account: c.Account, currency: c.Currency, amount: c.Amount, made: t.made}
	}
	if a == nil {
		a = &act{}
	}
	out := Outcome{Status: a.status, Reason: a.reason, TradeNo: t.number, BankID: a.bankID, Merchant: a.merchant, Account: a.account,
		Currency: a.currency, Amount: a.amount, Total: a.amount, Taken: t.taken(), Refunded: t.refunded, Made: a.made, Memo: t.memo}
	if t.closed {
		out.Status = Closed
	}
	return out
}

// outcome is how a refund of a payment ended.
func (f *refund) outcome(t *trade) Outcome {
	out := t.outcome()
	out.Status, out.Reason, out.RefundNo, out.Amount, out.Made, out.Of = f.status, f.reason, f.number, f.amount, f.made, f.memo
	return out
}

// maxNumbers bounds the trade numbers, and the refund numbers, that a bank can remember. It never forgets one on its own:
// a forgotten number could be debited again.
const maxNumbers = 2_000_000

var full = refuse(Full, "the bank remembers %d numbers and takes no new one; nothing was done", maxNumbers)

// act carries a call out. Whatever it decides about money is decided, and written down, in one step. The notice is owed
// for it, unless it is nil.
func (b *Bank) act(c Call, r *ruling) (Outcome, *notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch c.Op {
	case OpDebit, OpHold:
		return b.debitLocked(c, r)
	case OpCapture:
		return b.captureLocked(c, r)
	case OpRefund:
		return b.refundLocked(c, r)
	case OpClose:
		return b.closeLocked(c), nil
	case OpOpen:
		return b.openLocked(c), nil
	}
	return b.queryLocked(c), nil
}

// Look is how a payment, or a refund where its number is given, stands, without being a request. It says whether there
// is one.
func (b *Bank) Look(tradeNo, refundNo string) (Outcome, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.queryLocked(Call{TradeNo: tradeNo, RefundNo: refundNo})
	return out, out.Code == ""
}

// NewID makes an id that starts with the prefix and is never given twice.
func (b *Bank) NewID(prefix string) string { return b.newID(prefix) }

// Mode is what the bank does, by now, with a number that comes again.
func (b *Bank) Mode() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settings.Mode
}

// tradeLocked is what is known of a trade number, which is remembered from now on; nil where there is no more room.
func (b *Bank) tradeLocked(number string) *trade {
	t, known := b.trades[number]
	if !known && len(b.trades) < b.numbers {
		t = &trade{number: number}
		b.trades[number] = t
	}
	return t
}

// openLocked makes a payment known. One that is known already stays as it is.
func (b *Bank) openLocked(c Call) Outcome {
	t := b.tradeLocked(c.TradeNo)
	if t == nil {
		return full
	}
	if t.opened.Op == "" {
		t.opened, t.made, t.memo = c, b.clock.Now(), c.Memo
	}
	return t.outcome()
}

func (b *Bank) debitLocked(c Call, r *ruling) (Outcome, *notice) {
	if _, known := b.trades[c.TradeNo]; c.Known && !known {
		return b.queryLocked(Call{TradeNo: c.TradeNo}), nil
	}
	t := b.tradeLocked(c.TradeNo)
	if t == nil {
		return full, nil
	}
	if t.closed {
		return t.outcome().but(Closed, "trade number %s is closed: nothing was debited, use a new one", c.TradeNo), nil
	}
	repeat := c.Repeat
	if repeat == "" {
		repeat = b.settings.Mode
	}
	if again, said := t.repeated(c, repeat); again {
		return said, nil
	}
	a := &act{bankID: b.newID("B"), tradeNo: c.TradeNo, merchant: c.Merchant, account: c.Account, currency: c.Currency,
		amount: c.Amount, made: b.clock.Now(), notify: c.Notify, notificationID: b.newID(c.Notify.Prefix)}
	t.acts = append(t.acts, a)
	if c.Memo != nil {
		t.memo = c.Memo
	}
	if c.Notify.URL != "" {
		b.last = c.Notify
	}
	b.decideLocked(a, c.Op, r)
	return t.outcome(), b.noticeOfDebit(t, a)
}

func (b *Bank) decideLocked(a *act, op string, r *ruling) {
	switch {
	case r.decline != "":
		r.heard = true
		b.accountLocked(a.account)
		b.declineLocked(a, r.decline)
	case r.accept:
		r.heard = true
		b.accountLocked(a.account)
		a.status = Processing
		b.recordLocked(a.line(kindAccept))
	case op == OpHold:
		b.holdLocked(a)
	default:
		b.takeLocked(a)
	}
}

// repeated says whether a trade number has been debited, declined or accepted before so that nothing is to be decided, and
// what is answered then. It tells the state that the debit is in by now, which differs from the first answer only where
// it was settled or reversed since: a bank that repeated its first answer then would say what is no longer so.
func (t *trade) repeated(c Call, repeat string) (bool, Outcome) {
	a := t.standing()
	switch {
	case a == nil || repeat == Naive, repeat == Once && a.status == Failed && !a.undone:
		return false, Outcome{}
	case repeat == Refuse || repeat == Once:
		return true, t.outcome().but(Duplicate, "trade number %s was used before: query it", c.TradeNo)
	case a.merchant != c.Merchant || a.account != c.Account || a.amount != c.Amount || a.currency != c.Currency:
		return true, t.outcome().but(Mismatch,
			"trade number %s was used before for another merchant, account, amount or currency", c.TradeNo)
	}
	return true, t.outcome()
}

func (b *Bank) queryLocked(c Call) Outcome {
	if c.RefundNo != "" {
		if f, known := b.refunds[c.RefundNo]; known {
			return f.outcome(b.trades[f.tradeNo])
		}
		return refuse(NotFound, "no refund was ever asked for under refund number %s", c.RefundNo)
	}
	if t, known := b.trades[c.TradeNo]; known {
		return t.outcome()
	}
	return refuse(NotFound, "no debit was ever asked for under trade number %s", c.TradeNo)
}

// closeLocked makes a number unusable, also one that the bank never saw, unless money was or may be taken under it. Money
// that is only set aside is let go.
func (b *Bank) closeLocked(c Call) Outcome {
	t := b.tradeLocked(c.TradeNo)
	if t == nil {
		return full
	}
	if t.touched() {
		return t.outcome().but(NotClosed, "a debit was made or is under way under trade number %s: query it", c.TradeNo)
	}
	if t.closed {
		return t.outcome()
	}
	for _, a := range t.acts {
		if a.status == Held {
			b.releaseLocked(a)
		}
	}
	t.closed = true
	line := entry{Kind: kindClose, Op: OpClose, TradeNo: c.TradeNo, Status: Closed}
	if a := t.standing(); a != nil {
		line.BankID, line.Merchant, line.Account = a.bankID, a.merchant, a.account
	}
	b.recordLocked(line)
	return t.outcome()
}

// accountOf is the account that a call is about, as far as the bank knows it: a query names only a number.
func (b *Bank) accountOf(c Call) string {
	if c.Account != "" {
		return c.Account
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	number := c.TradeNo
	if r, known := b.refunds[c.RefundNo]; known {
		number = r.tradeNo
	}
	if t, known := b.trades[number]; known {
		return t.outcome().Account
	}
	return ""
}
