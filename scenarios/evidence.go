package scenarios

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// maxTimeline bounds the lines of one time line; a reader wants the story, the history has the rest.
const maxTimeline = 60

// evidence is both ledgers and the time line of every payment that a finding names.
func evidence(r *reports.Scenario, h *history.History) []reports.Order {
	var orders []string
	for _, c := range r.Checks {
		for _, f := range c.Findings {
			if f.Payment != "" && !slices.Contains(orders, f.Payment) {
				orders = append(orders, f.Payment)
			}
		}
	}
	var out []reports.Order
	for _, p := range h.Payments() {
		if slices.Contains(orders, p.V.Order) {
			out = append(out, Retell(h, p.V.Order))
		}
	}
	return out
}

// Retell tells one payment from every source at once: clients, links, bank, rows, faults and processes.
func Retell(h *history.History, order string) reports.Order {
	o := reports.Order{Order: order, Ledger: []reports.Line{}, Rows: []reports.Line{}}
	for _, p := range h.Payments() {
		if p.V.Order == order {
			o.Amount, o.Currency = p.V.Amount, p.V.Currency
		}
	}
	o.Ledger, o.Rows = bankLines(h, order), rowLines(h, order)
	t := teller{order: order}
	for i := range h.Events {
		if p := h.Events[i].Phase; p != nil && p.Name == history.PhaseObserve {
			break // what comes behind is the taking down
		}
		t.tell(&h.Events[i])
	}
	slices.SortStableFunc(t.out, byTime)
	if o.Cut = max(0, len(t.out)-maxTimeline); o.Cut > 0 {
		t.out = t.out[:maxTimeline]
	}
	o.Timeline = t.out
	o.Log, o.LogCut = logOf(h, order)
	return o
}

// maxLog bounds the lines of the service's log about one payment.
const maxLog = 30

// logOf is what the service has logged about a payment: the beginning and the end, where the middle is too long. The time at
// the head of a line is left out, since it has one of our own.
func logOf(h *history.History, order string) (out []reports.Line, cut int) {
	for _, l := range h.Log() {
		if l.V.Order != order {
			continue
		}
		text := l.V.Text
		if stamp, rest, found := strings.Cut(text, " ["); found && l.V.Step != "" && !strings.ContainsRune(stamp, ' ') {
			text = "[" + rest
		}
		out = append(out, reports.Line{AtMS: ms(l.Time), Text: text})
	}
	if cut = len(out) - maxLog; cut <= 0 {
		return out, 0
	}
	return slices.Delete(out, maxLog/2, maxLog/2+cut), cut
}

var field = regexp.MustCompile(`"(trade_no|status|amount|notification_id)":"?([^",}]+)`)

// gist is what a reader wants of a message: where it went, and the fields that tell payments apart.
func gist(text string) string {
	head, body, found := strings.Cut(text, "{")
	if !found {
		return text
	}
	out := strings.TrimSpace(head)
	for _, m := range field.FindAllStringSubmatch(body, -1) {
		out += " " + m[1] + "=" + m[2]
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// bankLines are the lines of the bank's ledger that moved money, or refused to.
func bankLines(h *history.History, order string) []reports.Line {
	out := []reports.Line{}
	debits, known := 0, knownTrades(h, order)
	for _, l := range h.Ledger() {
		if l.V.Order != order {
			continue
		}
		switch l.V.Kind {
		case history.LedgerDebit, history.LedgerDecline, history.LedgerAccept, history.LedgerReversal, history.LedgerRefund, history.LedgerClose:
			if l.V.Kind == history.LedgerDebit {
				debits++
			}
			text := fmt.Sprintf("%s %s %s", l.V.Kind, money.Text(l.V.Amount, l.V.Currency), l.V.TradeNo)
			if l.V.Kind == history.LedgerClose {
				text = "close " + l.V.TradeNo
			}
			out = append(out, reports.Line{AtMS: ms(l.Time), Text: text, Strong: l.V.Kind == history.LedgerDebit && (debits > 1 && len(known) != 1 || len(known) == 1 && !known[l.V.TradeNo])})
		}
	}
	return out
}

// knownTrades are the trade numbers in the rows at rest.
func knownTrades(h *history.History, order string) map[string]bool {
	out := map[string]bool{}
	rest, _ := h.AtRest()
	for _, row := range rest.Rows {
		if row.Order == order && row.TradeNo != "" {
			out[row.TradeNo] = true
		}
	}
	return out
}

// firstSeen is when the books first held something.
func firstSeen(h *history.History, holds func(*history.Reading) bool) float64 {
	for _, r := range h.Readings() {
		if holds(r.V) {
			return ms(r.Time)
		}
	}
	return -1
}

// rowLines are the service's rows at rest, and the trade numbers that no row knows.
func rowLines(h *history.History, order string) []reports.Line {
	out := []reports.Line{}
	rest, ok := h.AtRest()
	if !ok {
		return append(out, reports.Line{AtMS: -1, Text: "the rows could not be read at rest"})
	}
	known := map[string]bool{}
	n := 0
	for _, row := range rest.Rows {
		if row.Order != order {
			continue
		}
		known[row.TradeNo] = true
		if row.State == history.StateSuccess {
			n++
		}
		text := fmt.Sprintf("%s %s %s", row.State, money.Text(row.Amount, row.Currency), row.TradeNo)
		at := firstSeen(h, func(r *history.Reading) bool {
			return slices.ContainsFunc(r.Rows, func(o history.Row) bool { return o.ID == row.ID && o.State == row.State && o.TradeNo == row.TradeNo })
		})
		out = append(out, reports.Line{AtMS: at, Text: text, Strong: row.State == history.StateSuccess && n > 1})
	}
	granted := map[string]int{}
	for _, e := range rest.Effects {
		if e.Order == order {
			granted[e.Kind]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(granted)) {
		at := firstSeen(h, func(r *history.Reading) bool {
			return slices.ContainsFunc(r.Effects, func(e history.Effect) bool { return e.Order == order && e.Kind == kind })
		})
		line := reports.Line{AtMS: at, Text: "granted: " + kind, Strong: granted[kind] > 1}
		if granted[kind] > 1 {
			line.Text += fmt.Sprintf(", %d times", granted[kind])
		}
		out = append(out, line)
	}
	for _, l := range h.Ledger() {
		if l.V.Order == order && l.V.Kind == history.LedgerDebit && !known[l.V.TradeNo] {
			known[l.V.TradeNo] = true
			out = append(out, reports.Line{AtMS: -1, Text: "no row knows " + l.V.TradeNo, Strong: true})
		}
	}
	return out
}

// teller tells the events that concern one payment.
type teller struct {
	order string
	out   []reports.Event
	state map[string]string // of rows, by id
}

func (t *teller) add(at time.Duration, lane, who, what string) {
	t.out = append(t.out, reports.Event{AtMS: ms(at), Lane: lane, Who: who, What: what})
}

func (t *teller) tell(e *history.Event) {
	switch {
	case e.Attempt != nil && e.Attempt.Order == t.order:
		t.attempt(e.Attempt)
	case e.Message != nil:
		t.message(e.At, e.Message)
	case e.Ledger != nil && e.Ledger.Order == t.order:
		t.ledger(e.At, e.Ledger)
	case e.Reading != nil:
		t.reading(e.At, e.Reading)
	case e.Fault != nil && e.Fault.State != history.Fired:
		t.out = append(t.out, reports.Event{AtMS: ms(e.At), Who: "fault " + e.Fault.Name, What: e.Fault.State + ": " + e.Fault.Text, Fault: true})
	case e.Process != nil && (e.Process.What == "killed" || e.Process.What == "stopped" || e.Process.What == "continued" || e.Process.What == "ready"):
		t.add(e.At, reports.LaneService, e.Process.Name, e.Process.What)
	}
}

func (t *teller) attempt(a *history.Attempt) {
	if a.Op == history.OpToken {
		return
	}
	what := fmt.Sprintf("%s %s", a.Op, money.Text(a.Amount, a.Currency))
	if a.Key != "" {
		what += " key " + a.Key
	}
	t.add(a.Sent, reports.LaneClient, "client → service", fmt.Sprintf("%s (try %d)", what, a.Try))
	words := []string{fmt.Sprint(a.HTTP), a.Code, a.State} // many a service answers with the state as its code
	answer := strings.Join(slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" }), " ")
	if a.HTTP == 0 {
		answer = "no answer: " + a.Error
	}
	t.add(a.Done, reports.LaneClient, "service → client", answer+", so "+string(a.Outcome))
}

// message tells what passed between service and bank, and any message that a fault took hold of.
func (t *teller) message(at time.Duration, m *history.Message) {
	ours := m.Order == t.order
	if m.Fault != "" && (ours || m.Order == "") {
		t.out = append(t.out, reports.Event{
			AtMS: ms(at), Lane: laneOf(m.Link), Who: "fault " + m.Fault, What: fmt.Sprintf("%s: %s to %s on link %s", m.Fate, m.Dir, m.Name, m.Link), Fault: true,
		})
		return
	}
	if ours && m.Link == "bank" && m.Dir == history.Request {
		t.add(at, reports.LaneBank, "service → bank", gist(m.Text))
	}
	if ours && m.Link == "callback" && m.Dir == history.Request {
		t.add(at, reports.LaneCallback, "bank → service", gist(m.Text))
	}
	if ours && m.Link == "queue" && m.Name == "publish" {
		t.add(at, reports.LaneQueue, "service → queue", "published a message")
	}
	if ours && m.Link == "queue" && (m.Name == "consume" || m.Name == "deliver") {
		t.add(at, reports.LaneQueue, "queue → service", "delivered a message")
	}
}

// laneOf is the lane of what happens on a link.
func laneOf(link string) string {
	switch link {
	case "db", "cache":
		return reports.LaneDatabase
	}
	return link // the others have the name of their link
}

func (t *teller) ledger(at time.Duration, l *history.LedgerEntry) {
	amount := money.Text(l.Amount, l.Currency)
	switch l.Kind {
	case history.LedgerDebit:
		t.add(at, reports.LaneBank, "bank", fmt.Sprintf("debited %s under %s", amount, l.TradeNo))
	case history.LedgerDecline:
		t.add(at, reports.LaneBank, "bank", fmt.Sprintf("declined %s under %s: %s", amount, l.TradeNo, l.Detail))
	case history.LedgerAccept:
		t.add(at, reports.LaneBank, "bank", fmt.Sprintf("took on %s under %s, without a result", amount, l.TradeNo))
	case history.LedgerReversal, history.LedgerRefund:
		t.add(at, reports.LaneBank, "bank", fmt.Sprintf("%s of %s under %s", l.Kind, amount, l.TradeNo))
	case history.LedgerClose:
		t.add(at, reports.LaneBank, "bank", "closed "+l.TradeNo)
	case history.LedgerCallback:
		t.add(at, reports.LaneCallback, "bank", fmt.Sprintf("notification %s of %s was answered %d", l.NotificationID, l.Status, l.HTTP))
	}
}

func (t *teller) reading(at time.Duration, r *history.Reading) {
	if t.state == nil {
		t.state = map[string]string{}
	}
	for _, row := range r.Rows {
		if row.Order != t.order || t.state[row.ID] == row.State {
			continue
		}
		if before := t.state[row.ID]; before != "" {
			t.add(at, reports.LaneDatabase, "row", before+" → "+row.State)
		} else {
			t.add(at, reports.LaneDatabase, "row", row.State)
		}
		t.state[row.ID] = row.State
	}
}
