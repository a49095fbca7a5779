package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// OnlyAuthenticCallbacks is I11, judged over all readings. Whether a change came from a false notification is told by what
// else could have told the service: where the bank itself had not said it by then, only the false one can have.
var OnlyAuthenticCallbacks = register(Check{
	Name:      "only-authentic-callbacks",
	Invariant: "I11",
	Doc: "A notification that is not signed by the bank, is too old, or does not fit the payment in amount, currency, " +
		"merchant or trade number changes nothing.",
	Cause: "The signature is not verified, or only that there is one; the time stamp is not looked at; or amount and " +
		"currency are not compared with what was asked for.",
	judge: judgeOnlyAuthenticCallbacks,
})

func judgeOnlyAuthenticCallbacks(v *view) Result {
	const needs = needLedger | needReadings
	switch {
	case !v.target.Callbacks:
		return notApplicable("this target does not promise to refuse notifications that are false, old or do not fit")
	case !v.target.Rows:
		return notApplicable(noRows)
	}
	var findings []Finding
	n, answered := 0, 0
	count := func(c sent) {
		if !c.V.Authentic {
			n++
			if c.V.HTTP > 0 {
				answered++
			}
		}
	}
	for _, s := range v.stories {
		for _, c := range s.sent {
			count(c)
		}
		if f, broken := v.believed(s); broken {
			findings = append(findings, f)
		}
	}
	for _, c := range v.unasked {
		count(c)
		if f, broken := v.invented(c); broken {
			findings = append(findings, f)
		}
	}
	switch res := v.judged(findings, needs); {
	case res.Status != Pass:
		return res
	case n == 0:
		return notApplicable("no false notification was sent")
	case answered == 0:
		return inconclusive("no false notification got an answer: nobody knows whether one arrived")
	default:
		return res
	}
}

// believed finds the first sighting of a row that shows what a false notification said and the bank had not.
func (v *view) believed(s *story) (Finding, bool) {
	lies := slices.DeleteFunc(slices.Clone(s.sent), func(c sent) bool { return c.V.Authentic })
	if len(lies) == 0 {
		return Finding{}, false
	}
	words := v.bankWords(s)
	asked := s.sumsAsked()
	for i, x := range s.seen {
		for _, c := range lies {
			if x.at < c.V.Sent {
				continue
			}
			if said := v.follows(x, s.before(i, cmp.Or(c.V.Sent, c.V.Done)), c.V, words, asked); said != "" {
				var p proofs
				p.add(c.V.Done, "a notification of %s, %s%s, was answered %d: %s", c.V.Status, money.Text(c.V.Amount, c.V.Currency),
					numbered(c.V.TradeNo), c.V.HTTP, c.V.Why)
				p.rows(x.at, x.row)
				p.ledger(moved(s.bank)...)
				return Finding{s.order, fmt.Sprintf("order %s: %s as a false notification said (%s)", s.order, said, c.V.Why), p.lines()}, true
			}
		}
	}
	return Finding{}, false
}

// before is the state of the row of a sighting as it was last seen before an instant.
func (s *story) before(i int, at time.Duration) string {
	for k := i; k >= 0; k-- {
		if s.seen[k].at < at && s.seen[k].row.ID == s.seen[i].row.ID {
			return s.seen[k].row.State
		}
	}
	return ""
}

// follows says in what a row follows a false notification, or nothing. What it was before the notification was no fault of
// that.
func (v *view) follows(x sighting, before string, c *history.SentCallback, w bankWords, asked []sum) string {
	one := sum{x.row.Amount, x.row.Currency}
	switch {
	case c.Status == history.StateSuccess && wasPaid(x.row.State) && !wasPaid(before) && x.at >= c.Done && !w.yes(x.at):
		return "its row is " + x.row.State + ", which the bank had not said,"
	case c.Status == history.StateSuccess && x.row.State == history.StateSuccess && wasPaid(before) && before != x.row.State && x.at >= c.Done:
		return "its row went back from " + before + " to SUCCESS"
	case ended(x.row.State) && x.row.State != before && before != "" && isNo(c.Status) && c.HTTP >= 200 && c.HTTP < 300 &&
		c.Done >= x.from && c.Done <= x.at && !w.no(x.at): // at once, since a service may have reasons of its own later
		return "its row became " + x.row.State + ", which the bank had not said,"
	case one == sum{c.Amount, c.Currency} && !slices.Contains(asked, one):
		return "its row says " + one.text()
	}
	return ""
}

func isNo(status string) bool {
	return status == history.StateFailed || status == "FAIL" || status == history.StateClosed
}

// invented finds a row that a false notification about a payment that nobody made has brought into being.
func (v *view) invented(c sent) (Finding, bool) {
	if c.V.Authentic || v.rest == nil {
		return Finding{}, false
	}
	for i := range v.rest.Rows {
		r := &v.rest.Rows[i]
		if v.known[r.Order] == nil && r.TradeNo != "" && r.TradeNo == c.V.TradeNo {
			var p proofs
			p.rows(v.restAt, r)
			p.add(c.V.Done, "a notification of %s%s was answered %d: %s", c.V.Status, numbered(c.V.TradeNo), c.V.HTTP, c.V.Why)
			return Finding{r.Order, "the service has a row for a payment that nobody made: a false notification spoke of it (" + c.V.Why + ")", p.lines()}, true
		}
	}
	return Finding{}, false
}

// bankWords are the instants from which the bank's own word about a payment can have been known to the service.
type bankWords struct {
	success time.Duration // negative where it never said so
	refused time.Duration
}

func (w bankWords) yes(at time.Duration) bool { return w.success >= 0 && w.success <= at }
func (w bankWords) no(at time.Duration) bool  { return w.refused >= 0 && w.refused <= at }

// bankWords finds the bank's own words: its answers that were not lost on the way, and the notifications that it sent by
// itself or that were true. In doubt a word counts as known early: an innocent service must not be accused.
func (v *view) bankWords(s *story) bankWords {
	w := bankWords{-1, -1}
	know := func(at time.Duration, first *time.Duration) {
		if *first < 0 || at < *first {
			*first = at
		}
	}
	said := v.answersOf(s.order)
	for _, l := range v.withoutFalse(s) {
		switch {
		case bankSaidNo(l.V):
			know(l.Time, &w.refused)
		case l.V.Status != history.StateSuccess || l.V.Op == opRefund:
		case l.V.Kind == history.LedgerAnswer && l.V.HTTP >= 200 && l.V.HTTP < 300 && !said.seen:
			know(l.Time, &w.success)
		case l.V.Kind == history.LedgerCallback && !forged(l.V):
			know(said.notified(l, s.bank), &w.success)
		}
	}
	if said.success >= 0 {
		know(said.success, &w.success)
	}
	return w
}

// withoutFalse are the lines of the bank's ledger less those that stand for the false notifications: for each of them the
// line of its content that is nearest to its end.
func (v *view) withoutFalse(s *story) []line {
	lines := slices.Clone(s.bank)
	for _, c := range s.sent {
		if c.V.Authentic {
			continue
		}
		best := -1
		for i, l := range lines {
			fits := l.V.Kind == history.LedgerCallback && l.V.Status == c.V.Status && l.V.TradeNo == c.V.TradeNo &&
				(l.V.Amount == c.V.Amount || l.V.NotificationID == c.V.NotificationID)
			if fits && (best < 0 || apart(l.Time, c.V.Done) < apart(lines[best].Time, c.V.Done)) {
				best = i
			}
		}
		if best >= 0 {
			lines = slices.Delete(lines, best, best+1)
		}
	}
	return lines
}

func apart(a, b time.Duration) time.Duration { return max(a-b, b-a) }

// onWire is what the links have shown of the bank's words about one payment.
type onWire struct {
	seen    bool          // answers of the bank were seen on the link at all
	success time.Duration // the first answer of SUCCESS that was handed on, negative for none
	notices []time.Duration
}

// answersOf looks at the messages on the links. One that is told was not handed on before that, so that nobody can have
// known it earlier.
func (v *view) answersOf(order string) onWire {
	out := onWire{success: -1}
	for _, m := range v.messages()[order] {
		says := strings.Contains(m.V.Text, `"status":"SUCCESS"`)
		switch {
		case !strings.Contains(m.V.Text, `"status":"`): // a bank of another dialect: its ledger has to do
		case m.V.Link == "bank" && m.V.Dir == history.Answer:
			out.seen = true
			passed := m.V.Fate != history.Lost && m.V.Fate != history.Cut
			if says && passed && !strings.Contains(m.V.Text, "refund_no") && out.success < 0 {
				out.success = m.Time
			}
		case m.V.Link == "callback" && m.V.Dir == history.Request && says:
			out.notices = append(out.notices, m.Time)
		}
	}
	return out
}

// notified is the instant from which a notification in the ledger can have been known: the ledger has it when it was
// answered, the link when it set out. The first that set out after the debit counts.
func (o onWire) notified(l line, bank []line) time.Duration {
	debited := l.Time
	for _, d := range bank {
		if d.V.Kind == history.LedgerDebit && d.V.TradeNo == l.V.TradeNo {
			debited = min(debited, d.Time)
		}
	}
	for _, at := range o.notices {
		if at >= debited {
			return min(at, l.Time)
		}
	}
	return debited
}

// messages are the messages of the links to and from the bank, by payment.
func (v *view) messages() map[string][]history.At[history.Message] {
	if v.wire == nil {
		v.wire = map[string][]history.At[history.Message]{}
		for _, m := range v.history.Messages() {
			if m.V.Order != "" && (m.V.Link == "bank" || m.V.Link == "callback") {
				v.wire[m.V.Order] = append(v.wire[m.V.Order], m)
			}
		}
	}
	return v.wire
}
