package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// Trace retells one payment from every source and leaves nothing out: beside what Retell tells, both ends of each link, the
// service's log, the cache, the queue, refunds, events, benefits and alarms. It also tells of an order that nobody has planned,
// such as one that was paid by hand; ok is false where no source knows it.
func Trace(h *history.History, order string) (o reports.Order, ok bool) {
	t := tracer{teller: teller{order: order}, words: wordsOf(h, order), ours: map[string]bool{}, seen: map[string]bool{}}
	o = reports.Order{Order: order}
	for _, p := range h.Payments() {
		if p.V.Order == order {
			o.Amount, o.Currency, ok = p.V.Amount, p.V.Currency, true
		}
	}
	for _, r := range h.Readings() {
		for _, row := range r.V.Rows {
			if row.Order == order && !ok {
				o.Amount, o.Currency = row.Amount, row.Currency
			}
		}
	}
	t.byAttempts = slices.ContainsFunc(h.Attempts(), func(a history.At[history.Attempt]) bool { return a.V.Order == order })
	for i := range h.Events {
		t.event(&h.Events[i])
	}
	slices.SortStableFunc(t.out, byTime)
	o.Ledger, o.Rows, o.Timeline = bankLines(h, order), rowLines(h, order), t.out
	return o, ok || t.met
}

// wordsOf are the words by which a message is known to be about an order: itself, and its trade numbers.
func wordsOf(h *history.History, order string) []string {
	words := []string{order}
	add := func(word string) {
		if word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for _, r := range h.Readings() {
		for _, row := range r.V.Rows {
			if row.Order == order {
				add(row.TradeNo)
			}
		}
		for _, trade := range r.V.Trades {
			if trade.Order == order {
				add(trade.TradeNo)
			}
		}
	}
	return words
}

func byTime(a, b reports.Event) int {
	switch {
	case a.AtMS < b.AtMS:
		return -1
	case a.AtMS > b.AtMS:
		return 1
	}
	return 0
}

// tracer is a teller that leaves nothing out.
type tracer struct {
	teller
	words      []string
	byAttempts bool            // the clients are ours, and tell by themselves what they sent and got
	ours       map[string]bool // connections of links, by whether the last request on them was about the order
	seen       map[string]bool // lines of the books that were told
	met        bool            // something is about the order
}

func (t *tracer) event(e *history.Event) {
	before := len(t.out)
	about := true
	switch {
	case e.Message != nil:
		t.message(e.At, e.Message)
	case e.Log != nil:
		t.log(e.At, e.Log)
	case e.Reading != nil:
		t.reading(e.At, e.Reading)
		t.books(e.At, e.Reading)
	case e.Sent != nil && t.about(e.Sent.Order, e.Sent.TradeNo):
		t.sent(e.Sent)
	case e.Ledger != nil && t.about(e.Ledger.Order, e.Ledger.TradeNo):
		t.ledger(e.At, e.Ledger)
	case e.Gap != nil:
		t.add(e.At, "", "onedebit", "could not see: "+e.Gap.What+": "+e.Gap.Why)
		about = false
	default:
		t.tell(e)
		about = e.Fault == nil && e.Process == nil
	}
	t.met = t.met || about && len(t.out) > before
}

// about says whether something that names an order or a text is about ours.
func (t *tracer) about(order, text string) bool {
	return order == t.order || order == "" && t.mentions(text)
}

func (t *tracer) mentions(text string) bool {
	for _, word := range t.words {
		if _, after, found := strings.Cut(text, word); found && (after == "" || !wordly(after[0])) {
			return true
		}
	}
	return false
}

func wordly(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// ends are the parties at the two ends of each link, the one that asks first.
var ends = map[string][2]string{
	"client": {"client", "service"}, "bank": {"service", "bank"}, "callback": {"bank", "service"},
	"cache": {"service", "cache"}, "queue": {"service", "queue"}, "db": {"service", "database"},
}

// message tells what passed on a link, and what a fault made of it.
func (t *tracer) message(at time.Duration, m *history.Message) {
	conn := fmt.Sprint(m.Link, " ", m.Conn)
	ours := t.about(m.Order, m.Text)
	if m.Dir == history.Request {
		t.ours[conn] = ours
	} else if m.Order == "" && m.Link != "queue" {
		ours = ours || t.ours[conn]
	}
	if !ours {
		return
	}
	parties, known := ends[m.Link]
	if !known {
		parties = [2]string{"service", m.Link}
	}
	from, to := parties[0], parties[1]
	if m.Dir == history.Answer {
		from, to = to, from
	}
	if m.Fault != "" {
		t.out = append(t.out, reports.Event{AtMS: ms(at), Lane: laneOf(m.Link), Who: "fault " + m.Fault, What: fmt.Sprintf("%s: %s → %s %s", m.Fate, from, to, gist(m.Text)), Fault: true})
		return
	}
	if m.Link == "client" && t.byAttempts {
		return
	}
	what := gist(m.Text)
	if !strings.HasPrefix(what, m.Name) {
		what = strings.TrimSpace(m.Name + " " + what)
	}
	t.add(at, laneOf(m.Link), from+" → "+to, what)
}

// log tells a line of the service's log: what stands behind its status, or the whole line where it has no form.
func (t *tracer) log(at time.Duration, l *history.LogLine) {
	if !t.about(l.Order, l.Text) {
		return
	}
	text := l.Text
	if _, detail, found := strings.Cut(l.Text, "["+l.Status+"]"); found && l.Status != "" {
		text = strings.TrimSpace(l.Step + " " + l.Status + " " + strings.Trim(strings.TrimSpace(detail), "[]"))
	}
	t.add(at, reports.LaneService, "log "+l.Process, text)
}

func (t *tracer) sent(s *history.SentCallback) {
	what := fmt.Sprintf("notification %s: %s of %s", s.NotificationID, s.Status, money.Text(s.Amount, s.Currency))
	if s.Why != "" {
		what += " (" + s.Why + ")"
	}
	t.add(s.Sent, reports.LaneCallback, "bank → service", what+", sent on purpose")
	t.add(s.Done, reports.LaneCallback, "service → bank", fmt.Sprintf("%d to notification %s", s.HTTP, s.NotificationID))
}

// books tells what a reading holds of the order beside its rows, each line once.
func (t *tracer) books(at time.Duration, r *history.Reading) {
	once := func(who, format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if !t.seen[who+line] {
			t.seen[who+line] = true
			t.add(at, reports.LaneDatabase, who, line)
		}
	}
	for _, b := range r.Refunds {
		if b.Order == t.order {
			once("refund", "%s %s %s", strings.TrimSpace(b.Kind+" "+b.RefundID), b.State, money.Text(b.Amount, b.Currency))
		}
	}
	for _, b := range r.Surplus {
		if b.Order == t.order {
			once("surplus", "%s %s %s", b.TradeNo, b.State, money.Text(b.Amount, b.Currency))
		}
	}
	for _, b := range r.Events {
		if b.Order == t.order {
			once("outbox", "%s %s", b.Type, map[bool]string{true: "published", false: "waits"}[b.Sent])
		}
	}
	for _, b := range r.Effects {
		if b.Order == t.order {
			once("granted", "%s %s", b.Kind, b.ID)
		}
	}
	for _, b := range r.Alarms {
		if b.Order == t.order {
			once("alarm", "%s %s", b.Kind, b.Detail)
		}
	}
}
