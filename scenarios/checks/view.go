package checks

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/history"
)

// line is one line of the bank's ledger with its time.
type line = history.At[history.LedgerEntry]

// Operations of the bank as its ledger names them.
const (
	opDebit  = "debit"
	opRefund = "refund"
)

// need says what of a history a check rests on: what must have been seen for a pass.
type need uint

const (
	needLedger   need = 1 << iota // the bank's ledger, at rest
	needRest                      // the service's books at rest
	needReadings                  // every look into the service's books
	needAnswers                   // the answers to the clients
	needEffects                   // the benefits granted, at rest
	needAlarms                    // the alarms recorded, at rest
	needLog                       // the service's own log
	needFaults                    // the lives of the faults
)

// sighting is one row in one reading. What it shows stood at some instant after the reading before it was taken (from)
// and up to its own time: the read itself lasts, and an answer may overtake it.
type sighting struct {
	from, at time.Duration
	reading  int // number of the reading, to tell two readings of one instant apart
	row      *history.Row
}

// giving is one refund in one reading.
type giving struct {
	at  time.Duration
	row *history.RefundRow
}

// story is all that was observed of one payment.
type story struct {
	order   string
	begun   time.Duration
	asked   []*history.Payment
	refunds []*history.Refund  // that the harness meant to make
	answers []*history.Attempt // of pay and query, in the order in which they ended
	returns []*history.Attempt // of refund and query of a refund, in the order in which they ended
	foreign []*history.Attempt // of another merchant than the one whose payment it is
	appeals []*history.Attempt
	bank    []line            // in time order
	sent    []sent            // notifications that the harness made the bank send, in the order in which they were answered
	seen    []sighting        // in time order
	rows    []*history.Row    // at rest
	effects []*history.Effect // at rest
	alarms  []*history.Alarm  // at rest
	givings []*history.RefundRow
	surplus []*history.SurplusRow

	unnamed  bool            // a benefit or an event is there of which the books do not say whose it is
	namesake map[string]bool // trade numbers of another merchant's order of the same number, which is not told here

	recorded    []string                    // trade numbers recorded beside the rows at rest
	trades      map[string]time.Duration    // when each trade number was first known to anybody
	givingsSeen []giving                    // refunds in every reading, in time order
	events      map[string]history.EventRow // every event that any reading has shown, by its id, as it was last seen
}

// sent is one notification that the harness made the bank send.
type sent = history.At[history.SentCallback]

// view is a history sorted by payment. It is made once for all checks, which see it one after the other and change nothing.
type view struct {
	history *history.History
	target  history.Target
	stories []*story // in the order of their beginning
	known   map[string]*story
	others  map[history.Owner]bool // orders of other merchants that have the number of one of ours
	strays  []line                 // ledger lines that belong to no payment of the experiment
	unasked []sent                 // notifications about a payment that nobody made
	gaps    []history.At[history.Gap]
	wire    map[string][]history.At[history.Message] // see messages

	rest     *history.Reading
	restAt   time.Duration
	readings int
	observed time.Duration // beginning of the phase observe, negative where it was never reached
	lines    int           // ledger lines
	paid     bool          // somebody, client or row, was told that a payment succeeded
}

// look sorts a history in two passes: payments first, since what happens to a payment may bear the same time as its
// beginning.
func look(h *history.History) *view {
	v := &view{history: h, target: h.Plan().Target, known: map[string]*story{}, others: h.Namesakes(), gaps: h.Gaps(), observed: -1}
	for _, p := range h.Payments() {
		s := v.known[p.V.Order]
		if s == nil {
			s = &story{order: p.V.Order, begun: p.Time, trades: map[string]time.Duration{}, events: map[string]history.EventRow{}}
			v.known[s.order] = s
			v.stories = append(v.stories, s)
		}
		s.asked = append(s.asked, p.V)
	}
	slices.SortFunc(v.stories, func(a, b *story) int {
		return cmp.Or(cmp.Compare(a.begun, b.begun), cmp.Compare(a.order, b.order))
	})
	var before, last time.Duration
	out := setOut{}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase != nil && e.Phase.Name == history.PhaseObserve && v.observed < 0:
			v.observed = e.At
		case e.Attempt != nil:
			v.addAnswer(e.Attempt)
		case e.Ledger != nil:
			v.addLine(line{Time: e.At, Seq: e.Seq, V: e.Ledger})
		case e.Message != nil:
			out.add(e.At, e.Message)
		case e.Refund != nil && v.known[e.Refund.Order] != nil:
			s := v.known[e.Refund.Order]
			s.refunds = append(s.refunds, e.Refund)
		case e.Sent != nil:
			v.addSent(sent{Time: e.At, Seq: e.Seq, V: e.Sent})
		case e.Reading != nil:
			if e.At > last {
				before, last = last, e.At
			}
			v.addReading(e.Reading, before, e.At)
		}
	}
	for _, s := range v.stories {
		out.date(s.bank)
	}
	v.finish()
	return v
}

// setOut are the instants at which notifications set out, by their ids. The bank's ledger has a notification when it was
// acknowledged, and by then the service has long acted on it.
type setOut map[string][]time.Duration

func (o setOut) add(at time.Duration, m *history.Message) {
	if m.Link != "callback" || m.Dir != history.Request {
		return
	}
	_, rest, _ := strings.Cut(m.Text, `"notification_id":"`)
	if id, _, found := strings.Cut(rest, `"`); found {
		o[id] = append(o[id], at)
	}
}

// date gives the ledger's notifications the times at which they set out: the first line of an id the first time, and so on.
func (o setOut) date(bank []line) {
	for i := range bank {
		l := &bank[i]
		if times := o[l.V.NotificationID]; l.V.Kind == history.LedgerCallback && len(times) > 0 && times[0] <= l.Time {
			l.Time, o[l.V.NotificationID] = times[0], times[1:]
		}
	}
}

func (v *view) addAnswer(a *history.Attempt) {
	s := v.known[a.Order]
	ofPayment := (a.Op == history.OpPay || a.Op == history.OpQuery) && a.RefundID == ""
	v.paid = v.paid || ofPayment && a.Outcome == history.Confirmed
	switch {
	case s == nil:
	case a.Merchant != "" && !slices.ContainsFunc(s.asked, func(p *history.Payment) bool { return p.Merchant == a.Merchant }):
		s.foreign = append(s.foreign, a)
	case ofPayment:
		s.answers = append(s.answers, a)
	case a.Op == history.OpAppeal:
		s.appeals = append(s.appeals, a)
	case a.Op == history.OpRefund, a.Op == history.OpQuery:
		s.returns = append(s.returns, a)
	}
}

func (v *view) addLine(l line) {
	v.lines++
	s := v.known[l.V.Order]
	if s == nil {
		v.strays = append(v.strays, l)
		return
	}
	s.bank = append(s.bank, l)
}

func (v *view) addSent(c sent) {
	s := v.known[c.V.Order]
	if s == nil {
		v.unasked = append(v.unasked, c)
		return
	}
	s.sent = append(s.sent, c)
}

func (v *view) addReading(r *history.Reading, before, at time.Duration) {
	v.readings++
	if r.Final {
		v.rest, v.restAt = r, at
	}
	for i := range r.Rows {
		if s := v.of(r.Rows[i].Order, r.Rows[i].Merchant); s != nil {
			s.seen = append(s.seen, sighting{before, at, v.readings, &r.Rows[i]})
			s.know(r.Rows[i].TradeNo, at)
		}
	}
	for i := range r.Trades {
		v.of(r.Trades[i].Order, r.Trades[i].Merchant).know(r.Trades[i].TradeNo, at)
	}
	for i := range r.Refunds {
		if s := v.of(r.Refunds[i].Order, r.Refunds[i].Merchant); s != nil {
			s.givingsSeen = append(s.givingsSeen, giving{at, &r.Refunds[i]})
		}
	}
	for _, e := range r.Events {
		if s := v.of(e.Order, e.Merchant); s != nil {
			s.unnamed = s.unnamed || e.Merchant == ""
			e.Sent = e.Sent || s.events[e.ID].Sent
			s.events[e.ID] = e
		}
	}
}

// know notes when a trade number was first heard of.
func (s *story) know(tradeNo string, at time.Duration) {
	if s == nil || tradeNo == "" {
		return
	}
	if first, ok := s.trades[tradeNo]; !ok || at < first {
		s.trades[tradeNo] = at
	}
}

// finish sorts what has equal times by content, so that the order of arrival decides nothing.
func (v *view) finish() {
	for _, s := range v.stories {
		s.leaveNamesake(v.others)
		slices.SortFunc(s.bank, byTime)
		for _, attempts := range [][]*history.Attempt{s.answers, s.returns, s.foreign} {
			slices.SortFunc(attempts, byEnd)
		}
		slices.SortFunc(s.refunds, func(a, b *history.Refund) int {
			return cmp.Or(cmp.Compare(a.RefundID, b.RefundID), cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Currency, b.Currency))
		})
		slices.SortFunc(s.sent, bySending)
		for _, l := range s.bank {
			s.know(l.V.TradeNo, l.Time)
		}
	}
	slices.SortFunc(v.strays, byTime)
	slices.SortFunc(v.unasked, bySending)
	if v.rest != nil {
		v.handOut()
	}
}

func byEnd(a, b *history.Attempt) int {
	return cmp.Or(cmp.Compare(a.Done, b.Done), cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Key, b.Key),
		cmp.Compare(a.RefundID, b.RefundID), cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Outcome, b.Outcome),
		cmp.Compare(a.State, b.State), cmp.Compare(a.PaymentID, b.PaymentID))
}

func bySending(a, b sent) int {
	return cmp.Or(cmp.Compare(a.V.Done, b.V.Done), cmp.Compare(a.V.NotificationID, b.V.NotificationID),
		cmp.Compare(a.V.Status, b.V.Status), cmp.Compare(a.V.Why, b.V.Why), cmp.Compare(a.V.HTTP, b.V.HTTP))
}

// handOut gives each payment its part of the books at rest.
func (v *view) handOut() {
	for i := range v.rest.Rows {
		v.paid = v.paid || wasPaid(v.rest.Rows[i].State)
		if s := v.of(v.rest.Rows[i].Order, v.rest.Rows[i].Merchant); s != nil && !s.namesake[v.rest.Rows[i].TradeNo] {
			s.rows = append(s.rows, &v.rest.Rows[i])
		}
	}
	for i := range v.rest.Effects {
		if s := v.of(v.rest.Effects[i].Order, v.rest.Effects[i].Merchant); s != nil {
			s.unnamed = s.unnamed || v.rest.Effects[i].Merchant == ""
			s.effects = append(s.effects, &v.rest.Effects[i])
		}
	}
	for _, t := range v.rest.Trades {
		if s := v.of(t.Order, t.Merchant); s != nil && !s.namesake[t.TradeNo] {
			s.recorded = append(s.recorded, t.TradeNo)
		}
	}
	for i := range v.rest.Alarms {
		if s := v.of(v.rest.Alarms[i].Order, v.rest.Alarms[i].Merchant); s != nil {
			s.alarms = append(s.alarms, &v.rest.Alarms[i])
		}
	}
	for i := range v.rest.Refunds {
		if s := v.of(v.rest.Refunds[i].Order, v.rest.Refunds[i].Merchant); s != nil {
			s.givings = append(s.givings, &v.rest.Refunds[i])
		}
	}
	for i := range v.rest.Surplus {
		if s := v.of(v.rest.Surplus[i].Order, v.rest.Surplus[i].Merchant); s != nil && !s.namesake[v.rest.Surplus[i].TradeNo] {
			s.surplus = append(s.surplus, &v.rest.Surplus[i])
		}
	}
}

// byTime orders ledger lines; the bank's own numbers decide between equal times.
func byTime(a, b line) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.V.Seq, b.V.Seq), cmp.Compare(a.V.Kind, b.V.Kind),
		cmp.Compare(a.V.TradeNo, b.V.TradeNo), cmp.Compare(a.V.BankID, b.V.BankID), cmp.Compare(a.V.Amount, b.V.Amount),
		cmp.Compare(a.V.Currency, b.V.Currency))
}

// wasPaid reports whether a state says that the payment succeeded, whatever was given back of it since.
func wasPaid(state string) bool {
	return state == history.StateSuccess || state == history.StatePartlyRefunded || state == history.StateRefunded
}

// ended reports whether a state says that the payment is over without money.
func ended(state string) bool { return state == history.StateFailed || state == history.StateClosed }

// paidRows are the rows at rest that say that the payment succeeded. A row that is REFUNDED although nobody asked for a
// refund is a surplus that the service gave back by itself: it is not what was bought.
func (s *story) paidRows() []*history.Row {
	var out []*history.Row
	for _, r := range s.rows {
		if s.paidFor(r.State) {
			out = append(out, r)
		}
	}
	return out
}

func (s *story) paidFor(state string) bool {
	return wasPaid(state) && (state != history.StateRefunded || s.refunding())
}

// refunding reports whether anybody asked for a refund of the payment.
func (s *story) refunding() bool { return len(s.refunds) > 0 || len(s.returns) > 0 }

// endedRows are the rows at rest of attempts that are over without money.
func (s *story) endedRows() []*history.Row {
	var out []*history.Row
	for _, r := range s.rows {
		if ended(r.State) {
			out = append(out, r)
		}
	}
	return out
}

// open are the rows at rest that are not final.
func (s *story) open() []*history.Row {
	var out []*history.Row
	for _, r := range s.rows {
		if !wasPaid(r.State) && !ended(r.State) {
			out = append(out, r)
		}
	}
	return out
}

// words are the states of rows, for a sentence.
func words(rows []*history.Row) string {
	var out []string
	for _, r := range rows {
		if !slices.Contains(out, r.State) {
			out = append(out, r.State)
		}
	}
	slices.Sort(out)
	return listed(out)
}
