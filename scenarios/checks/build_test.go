package checks

import (
	"slices"
	"time"

	"onedebit/scenarios/history"
)

// tick is the time between two events of a built history.
const tick = 10 * time.Millisecond

// build writes tiny histories. Every event comes a tick after the one before it.
type build struct {
	t       time.Duration
	seq     int
	target  history.Target
	payment *history.Payment
	rows    []history.Row
	trades  []history.Trade
	effects []history.Effect
	alarms  []history.Alarm
	givings []history.RefundRow
	surplus []history.SurplusRow
	posted  []history.EventRow
	waiting int
	events  []history.Event
	auto    bool // the benefit is granted to every SUCCESS row at rest
	posts   bool // every payment and refund that is SUCCESS at rest has its event
}

// full is the history of a service that keeps books of everything and promises everything.
func full() *build {
	b := h()
	b.target.Refunds, b.target.Events, b.target.Surplus, b.target.Callbacks = true, true, true, true
	b.posts = true
	return b
}

func h() *build {
	return &build{auto: true, target: history.Target{Name: "reference", Rows: true, Effects: true,
		EffectKinds: []string{"membership"}, RefusesOtherBody: true}}
}

func (b *build) event(e history.Event) *build {
	b.t += tick
	e.At = b.t
	b.events = append(b.events, e)
	return b
}

// pay begins a payment in yuan.
func (b *build) pay(order string, amount int64) *build { return b.payIn(order, amount, "CNY") }

func (b *build) payIn(order string, amount int64, currency string) *build {
	b.payment = &history.Payment{Order: order, Merchant: "M", Account: "acct-" + order, Channel: "WECHAT", Amount: amount, Currency: currency}
	return b.event(history.Event{Payment: b.payment})
}

func (b *build) expect(e history.Expect) *build { b.payment.Expect = &e; return b }

// answer records a pay request of the last payment that was answered within the tick.
func (b *build) answer(order, key string, outcome history.Outcome, change ...func(*history.Attempt)) *build {
	return b.slow(0, order, key, outcome, change...)
}

// slow records a pay request that was sent some ticks ago.
func (b *build) slow(ticks int, order, key string, outcome history.Outcome, change ...func(*history.Attempt)) *build {
	a := &history.Attempt{Order: order, Op: history.OpPay, Key: key, Try: 1, Amount: b.payment.Amount, Currency: b.payment.Currency,
		Channel: b.payment.Channel, Outcome: outcome, Sent: b.t + tick/2 - time.Duration(ticks)*tick, Done: b.t + tick}
	for _, f := range change {
		f(a)
	}
	return b.event(history.Event{Attempt: a})
}

func asked(amount int64) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Amount = amount }
}
func named(id string) func(*history.Attempt) { return func(a *history.Attempt) { a.PaymentID = id } }
func channel(name string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Channel = name }
}
func state(s string) func(*history.Attempt) { return func(a *history.Attempt) { a.State = s } }
func query(a *history.Attempt)              { a.Op, a.Key = history.OpQuery, "" }

func (b *build) ledger(kind, order, trade string, amount int64, change ...func(*history.LedgerEntry)) *build {
	b.seq++
	e := &history.LedgerEntry{Seq: b.seq, Kind: kind, Order: order, Op: "debit", TradeNo: trade, Amount: amount, Currency: "CNY", Account: "acct-" + order}
	for _, f := range change {
		f(e)
	}
	return b.event(history.Event{Ledger: e})
}

func (b *build) request(order, trade string, amount int64) *build {
	return b.ledger(history.LedgerRequest, order, trade, amount)
}
func (b *build) debit(order, trade string, amount int64, change ...func(*history.LedgerEntry)) *build {
	return b.ledger(history.LedgerDebit, order, trade, amount, change...)
}
func (b *build) decline(order, trade string, amount int64) *build {
	return b.ledger(history.LedgerDecline, order, trade, amount)
}
func (b *build) refund(order, trade string, amount int64, change ...func(*history.LedgerEntry)) *build {
	return b.ledger(history.LedgerRefund, order, trade, amount, append(change, func(e *history.LedgerEntry) { e.Op = "refund" })...)
}
func (b *build) reverse(order, trade string, amount int64) *build {
	return b.ledger(history.LedgerReversal, order, trade, amount)
}
func (b *build) accept(order, trade string, amount int64) *build {
	return b.ledger(history.LedgerAccept, order, trade, amount)
}
func (b *build) close(order, trade string) *build {
	return b.ledger(history.LedgerClose, order, trade, 0, func(e *history.LedgerEntry) { e.Status, e.Op = "CLOSED", "close" })
}
func (b *build) callback(order, trade, status string, change ...func(*history.LedgerEntry)) *build {
	return b.ledger(history.LedgerCallback, order, trade, 0, append([]func(*history.LedgerEntry){
		func(e *history.LedgerEntry) { e.Status, e.HTTP = status, 200 }}, change...)...)
}
func in(currency string) func(*history.LedgerEntry) {
	return func(e *history.LedgerEntry) { e.Currency = currency }
}
func bankID(id string) func(*history.LedgerEntry) {
	return func(e *history.LedgerEntry) { e.BankID = id }
}

// row sets the one row of an order, named after it, for the readings that follow.
func (b *build) row(order, state string, change ...func(*history.Row)) *build {
	return b.rowID("row-"+order, order, state, change...)
}

func (b *build) rowID(id, order, state string, change ...func(*history.Row)) *build {
	r := history.Row{ID: id, Order: order, State: state, Amount: b.payment.Amount, Currency: b.payment.Currency}
	for _, f := range change {
		f(&r)
	}
	if i := slices.IndexFunc(b.rows, func(x history.Row) bool { return x.ID == id && id != "" }); i >= 0 {
		b.rows[i] = r
	} else {
		b.rows = append(b.rows, r)
	}
	return b
}

func trade(no string) func(*history.Row) { return func(r *history.Row) { r.TradeNo = no } }
func amount(n int64) func(*history.Row)  { return func(r *history.Row) { r.Amount = n } }

// read takes a reading of the books as they stand.
func (b *build) read() *build { return b.reading(false) }

func (b *build) reading(final bool) *build {
	r := &history.Reading{Rows: slices.Clone(b.rows), Trades: slices.Clone(b.trades), Effects: slices.Clone(b.effects),
		Alarms: slices.Clone(b.alarms), Refunds: slices.Clone(b.givings), Surplus: slices.Clone(b.surplus), Events: slices.Clone(b.posted),
		Waiting: b.waiting, Final: final}
	done := map[string]bool{}
	for _, row := range r.Rows {
		if !final || !wasPaid(row.State) || done[row.Order] {
			continue
		}
		done[row.Order] = true
		if b.auto {
			r.Effects = append(r.Effects, history.Effect{Kind: "membership", Order: row.Order, ID: "m-" + row.Order})
		}
		if b.posts {
			r.Events = append(r.Events, history.EventRow{ID: "e-" + row.Order, Type: history.EventPaid, Order: row.Order, Sent: true})
		}
	}
	for _, g := range r.Refunds {
		if b.posts && final && g.State == history.StateSuccess && g.Kind == "" {
			r.Events = append(r.Events, history.EventRow{ID: "e-" + g.RefundID, Type: history.EventRefunded, Order: g.Order, Ref: g.RefundID, Sent: true})
		}
	}
	return b.event(history.Event{Reading: r})
}

// effect grants a benefit; from then on nothing is granted by itself.
func (b *build) effect(kind, order, id string) *build {
	b.auto = false
	b.effects = append(b.effects, history.Effect{Kind: kind, Order: order, ID: id})
	return b
}

func (b *build) noEffects() *build { b.auto = false; return b }

func (b *build) phase(name string) *build {
	return b.event(history.Event{Phase: &history.Phase{Name: name}})
}

func (b *build) gap(what string) *build {
	return b.event(history.Event{Gap: &history.Gap{What: what, Why: "connection refused"}})
}

func (b *build) fault(name, state string, optional bool) *build {
	return b.event(history.Event{Fault: &history.Fault{Name: name, Kind: "lost-answer", Text: "swallow the answer", State: state, Optional: optional}})
}

func (b *build) log(order, step, status string) *build {
	return b.event(history.Event{Log: &history.LogLine{Order: order, Step: step, Status: status, Text: step + " " + status}})
}

// settled ends the wait for quiet.
func (b *build) settled(ok bool, moving string) *build {
	return b.event(history.Event{Settled: &history.Settled{OK: ok, Within: 60 * time.Second, Waited: 60 * time.Second, Moving: moving}})
}

// back asks for a refund, which is answered within the tick.
func (b *build) back(order, id string, amount int64, outcome history.Outcome, change ...func(*history.Attempt)) *build {
	b.event(history.Event{Refund: &history.Refund{Order: order, RefundID: id, Amount: amount, Currency: b.payment.Currency}})
	return b.answer(order, "", outcome, append([]func(*history.Attempt){func(a *history.Attempt) {
		a.Op, a.RefundID, a.Amount = history.OpRefund, id, amount
	}}, change...)...)
}

// giving sets one refund in the service's books, under refund number F and its id.
func (b *build) giving(order, id, state string, amount int64, change ...func(*history.RefundRow)) *build {
	r := history.RefundRow{ID: "f-" + id, RefundID: id, Order: order, RefundNo: "F" + id, State: state, Amount: amount, Currency: b.payment.Currency}
	for _, f := range change {
		f(&r)
	}
	if i := slices.IndexFunc(b.givings, func(x history.RefundRow) bool { return x.ID == r.ID }); i >= 0 {
		b.givings[i] = r
	} else {
		b.givings = append(b.givings, r)
	}
	return b
}

// returned is a refund as it should be: asked for, given back by the bank, and written down.
func (b *build) returned(order, id string, amount int64) *build {
	return b.back(order, id, amount, history.Confirmed, state("SUCCESS")).refund(order, "T"+order, amount, refundNo("F"+id)).
		giving(order, id, "SUCCESS", amount)
}

func refundNo(number string) func(*history.LedgerEntry) {
	return func(e *history.LedgerEntry) { e.RefundNo = number }
}

// over sets a surplus debit in the service's books.
func (b *build) over(order, trade, state string, amount int64) *build {
	b.surplus = append(b.surplus, history.SurplusRow{TradeNo: trade, Order: order, Amount: amount, Currency: b.payment.Currency, State: state, RefundNo: "F" + trade})
	return b
}

// post sets one event in the service's books; from then on none is there by itself.
func (b *build) post(id, kind, order, ref string, sent bool) *build {
	b.posts = false
	b.posted = append(b.posted, history.EventRow{ID: id, Type: kind, Order: order, Ref: ref, Sent: sent})
	return b
}

// notify sends a notification on purpose, of what the last payment is about.
func (b *build) notify(order, trade, status, why string, http int, change ...func(*history.SentCallback)) *build {
	c := &history.SentCallback{Order: order, TradeNo: trade, NotificationID: "N-" + trade, Status: status, Amount: b.payment.Amount, Currency: b.payment.Currency,
		Authentic: why == "", Why: why, HTTP: http, Done: b.t + tick}
	for _, f := range change {
		f(c)
	}
	b.event(history.Event{Sent: c})
	b.t -= tick // the bank's ledger has it at the same time
	return b.callback(order, trade, status, func(e *history.LedgerEntry) {
		e.HTTP, e.Amount, e.NotificationID = http, c.Amount, c.NotificationID
	})
}

// notice is a notification of the bank that sets out.
func (b *build) notice(id string) *build {
	return b.event(history.Event{Message: &history.Message{Link: "callback", Dir: history.Request, Name: "callback",
		Text: `POST /callback {"notification_id":"` + id + `"}`, Fate: history.Passed}})
}

// bankSaid is an answer of the bank on its way to the service.
func (b *build) bankSaid(order, status, fate string) *build {
	return b.event(history.Event{Message: &history.Message{Link: "bank", Dir: history.Answer, Name: "debit", Order: order,
		Text: `200 OK {"status":"` + status + `"}`, Fate: fate}})
}

// rest settles, and reads the books at rest.
func (b *build) rest() *build { return b.settled(true, "").phase(history.PhaseObserve).reading(true) }

// good is a payment as it should be, under key K and trade number T of its order.
func (b *build) good(order string, amount int64) *build {
	return b.pay(order, amount).request(order, "T"+order, amount).debit(order, "T"+order, amount).
		row(order, "SUCCESS", trade("T"+order)).read().answer(order, "K"+order, history.Confirmed, state("SUCCESS"))
}

func (b *build) all() []history.Event {
	plan := history.Event{Plan: &history.Plan{Version: history.Version, Target: b.target}}
	return append([]history.Event{plan}, b.events...)
}

func (b *build) history() *history.History { return history.New(b.all()) }

// ofSurplus makes a refund one that the service makes by itself.
func ofSurplus(number string) func(*history.RefundRow) {
	return func(r *history.RefundRow) { r.Kind, r.RefundID, r.RefundNo = history.RefundOfSurplus, "", number }
}
