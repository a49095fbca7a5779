package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// Record is what the recording of a flow has shown.
type Record struct {
	Flow     *Flow
	Points   []Point
	Sequence []int // places in Points in the order in which one payment met them
	Left     []Left
}

// Left is what was seen and is no point, with the reason.
type Left struct {
	Link  string
	Label string
	Times int
	Why   string
}

// The marks of a recording: faults that touch nothing. Between them lie the stretches that are compared.
const (
	markIdle  = "idle"
	markFirst = "first"
	markNext  = "second"
	markEnd   = "end"
)

func marked(name string) string {
	return fmt.Sprintf("fault: {delay: {link: client, message: \"TRACE /\", by: 1s}, as: %s, optional: true}", name)
}

// recording is the scenario that is recorded: a stretch in which nothing is asked, and the flow for two payments.
func (f *Flow) recording() string {
	var steps []string
	for _, of := range []string{"A", "B"} {
		for _, s := range f.Setup {
			steps = append(steps, f.about(s, of))
		}
	}
	steps = append(steps, f.Calm, marked(markIdle), "wait: 10s", marked(markFirst), f.Drive, f.after(), marked(markNext), f.about(f.Drive, "B"), f.after(), marked(markEnd))
	return written(f.recordingName(), "What is swept, "+f.Doc+", is recorded twice beside a stretch of quiet", f.Bank, steps)
}

func (f *Flow) recordingName() string { return "recording-of-" + f.Name }

// after lets a recorded flow come to its end.
func (f *Flow) after() string {
	if strings.HasPrefix(f.Calm, "wait") {
		return "wait: 15s" // another payment is still open
	}
	return f.Calm
}

// about is a step for the payment of another label.
func (f *Flow) about(step, label string) string {
	step = strings.ReplaceAll(step, "of: A", "of: "+label)
	return strings.ReplaceAll(step, "taken-on", "taken-on-"+strings.ToLower(label))
}

// written is a scenario as text.
func written(name, title, bank string, steps []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ntitle: %q\nfamily: sweep\n", name, title)
	if bank != "" {
		fmt.Fprintf(&b, "bank: {mode: %s}\n", bank)
	}
	b.WriteString("steps:\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "  - %s\n", s)
	}
	return b.String()
}

// place is what messages are counted by.
type place struct{ link, dir, name string }

// stretch is a part of a recording.
type stretch struct {
	counts map[place]int
	labels map[place][]string // by their number
	order  []place            // as they came
	conns  map[place]map[int]bool
	unsure int // requests after which the client knew nothing
}

// cut takes one stretch out of a recording, without what belongs to another payment than its own.
func cut(h *history.History, m mask, from, to time.Duration, other string) stretch {
	s := stretch{counts: map[place]int{}, labels: map[place][]string{}, conns: map[place]map[int]bool{}}
	for _, e := range h.Messages() {
		if e.Time < from || e.Time >= to || other != "" && e.V.Order == other {
			continue
		}
		at := place{e.V.Link, e.V.Dir, m.pattern(e.V.Name)}
		s.counts[at]++
		if s.conns[at] == nil {
			s.conns[at] = map[int]bool{}
		}
		s.conns[at][e.V.Conn] = true
		text := e.V.Text
		if e.V.Dir == history.Answer {
			text = "answer to " + e.V.Name
		}
		s.labels[at] = append(s.labels[at], m.label(text))
		s.order = append(s.order, at)
	}
	s.blur()
	for _, a := range h.Attempts() {
		if a.V.Sent >= from && a.V.Sent < to && a.V.Outcome == history.Unknown {
			s.unsure++
		}
	}
	return s
}

// blur gives the messages of one name that come on several connections one label: which of them comes first is chance.
func (s *stretch) blur() {
	for at, labels := range s.labels {
		if len(s.conns[at]) < 2 {
			continue
		}
		common := labels[0]
		for _, l := range labels[1:] {
			common = alike(common, l)
		}
		for i := range labels {
			labels[i] = common
		}
	}
}

// waiting are the places of requests that wait for their answers at an instant: polls, where nothing is asked of the
// service then.
func waiting(h *history.History, m mask, at time.Duration) map[place]bool {
	type exchange struct {
		link string
		conn int
		name string
	}
	open := map[exchange]int{}
	for _, e := range h.Messages() {
		if e.Time >= at {
			break
		}
		x := exchange{e.V.Link, e.V.Conn, m.pattern(e.V.Name)}
		if e.V.Dir == history.Request {
			open[x]++
		} else {
			open[x]--
		}
	}
	out := map[place]bool{}
	answered := map[place]bool{}
	for _, e := range h.Messages() {
		if e.V.Dir == history.Answer {
			answered[place{e.V.Link, history.Request, m.pattern(e.V.Name)}] = true
		}
	}
	for x, n := range open {
		if request := (place{x.link, history.Request, x.name}); n > 0 && answered[request] {
			out[request], out[place{x.link, history.Answer, x.name}] = true, true
		}
	}
	return out
}

// Read reads the recording of a flow. It fails where the recording is not one of clean payments, so that it must be made
// again.
func Read(h *history.History, f *Flow, t *targets.Target) (*Record, error) {
	at := map[string]time.Duration{}
	for _, e := range h.Faults() {
		if e.V.State == history.Armed {
			at[e.V.Name] = e.Time
		}
	}
	if len(at) < 4 || at[markEnd] == 0 {
		return nil, fmt.Errorf("recording %s: it did not come to its end", f.Name)
	}
	orders := map[string]string{}
	for _, p := range h.Payments() {
		orders[p.V.Label] = p.V.Order
	}
	m := maskOf(h)
	idle := cut(h, m, at[markIdle], at[markFirst], "")
	first := cut(h, m, at[markFirst], at[markNext], orders["B"])
	second := cut(h, m, at[markNext], at[markEnd], orders["A"])
	if n := first.unsure + second.unsure; n > 0 {
		return nil, fmt.Errorf("recording %s: %d requests of the client were not answered; a slower --speed leaves the service more time", f.Name, n)
	}
	r := &Record{Flow: f}
	r.compare(idle, first, second, waiting(h, m, at[markIdle]), t)
	r.sort(first)
	r.sequence(first)
	if len(r.Points) == 0 {
		return nil, fmt.Errorf("recording %s: no message was seen that belongs to it alone", f.Name)
	}
	return r, nil
}

// compare finds the points: what both payments have in common, and the idle stretch has not.
func (r *Record) compare(idle, first, second stretch, polls map[place]bool, t *targets.Target) {
	all := maps.Clone(idle.counts)
	maps.Copy(all, second.counts)
	maps.Copy(all, first.counts)
	for at := range all {
		n := min(first.counts[at], second.counts[at])
		seen := first
		if first.counts[at] == 0 {
			seen = second
		}
		leave := func(times int, why string) {
			label := at.name
			if l := seen.labels[at]; len(l) > 0 {
				label = l[0]
			}
			r.Left = append(r.Left, Left{at.link, at.dir + " " + label, times, why})
		}
		switch {
		case polls[at]:
			leave(seen.counts[at], "it is a poll, which waits all the time, so no position in it belongs to a payment")
			continue
		case idle.counts[at] > 0:
			leave(idle.counts[at], "it goes on without a payment too, so no position in it belongs to one")
			continue
		case first.counts[at] != second.counts[at]:
			leave(max(first.counts[at], second.counts[at])-n, "it comes in one payment and not in another")
		}
		for i := range n {
			r.Points = append(r.Points, Point{at.link, at.dir, called(at.name, t.Messages(at.link)), i + 1, first.labels[at][i]})
		}
	}
	slices.SortFunc(r.Left, func(a, b Left) int {
		return strings.Compare(a.Link+a.Label+a.Why, b.Link+b.Label+b.Why)
	})
}

// is says whether a point is of messages of this name.
func (p Point) is(name string) bool {
	return p.Name == name || name != "" && p.Name == "["+name[:1]+"]"+name[1:]
}

var word = regexp.MustCompile(`^[a-z0-9_-]+$`)

// called is the name of a message where the target has one, and else a pattern that cannot be taken for a name.
func called(name string, names targets.Names) string {
	if _, ok := names[name]; !ok && word.MatchString(name) {
		return "[" + name[:1] + "]" + name[1:]
	}
	return name
}

// sort puts the points into an order that the timing of several connections does not change: along the links, on those on
// which one thing follows another as it came, and by name on the others.
func (r *Record) sort(s stretch) {
	came := func(p Point) int {
		if p.Link == stack.DBLink || p.Link == stack.QueueLink {
			return 0
		}
		return slices.IndexFunc(s.order, func(at place) bool { return at.link == p.Link && p.is(at.name) })
	}
	slices.SortFunc(r.Points, func(a, b Point) int {
		return cmp.Or(
			cmp.Compare(slices.Index(links, a.Link), slices.Index(links, b.Link)), cmp.Compare(came(a), came(b)),
			strings.Compare(a.Name, b.Name), cmp.Compare(a.Nth, b.Nth), strings.Compare(b.Dir, a.Dir), // requests go before answers
		)
	})
}

// sequence is the order in which the first payment met its points.
func (r *Record) sequence(s stretch) {
	seen := map[place]int{}
	for _, at := range s.order {
		seen[at]++
		i := slices.IndexFunc(r.Points, func(p Point) bool {
			return p.Link == at.link && p.Dir == at.dir && p.Nth == seen[at] && p.is(at.name)
		})
		if i >= 0 {
			r.Sequence = append(r.Sequence, i)
		}
	}
}
