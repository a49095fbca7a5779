package reports

import (
	"cmp"
	"fmt"
	"strings"

	"onedebit/scenarios/money"
)

// htmlScenario is one scenario on a page: all its trials counted, the gravest told.
type htmlScenario struct {
	ID, Family, Name, Title  string
	Verdict, Sign, Trials    string
	Open                     bool
	Gist                     string // the first contradiction, or why there is no verdict
	Contradictions           []string
	Checks                   []htmlCheck
	Faults                   []htmlFault
	Orders                   []htmlOrder
	Payments                 []htmlPayment // for the script, which draws their time lines
	Causes, Evidence, Log    []string
	Names                    string
	Reproduce, History, Note string
}

type htmlCheck struct{ Name, Invariant, Verdict, Sign, Reason string }

type htmlFault struct {
	Name, Text   string
	Armed, Fired int
}

// htmlOrder is what a payment's two ledgers hold, side by side.
type htmlOrder struct {
	Order, Amount string
	Lines         [][2]htmlLine
}

type htmlLine struct {
	Text   string
	Strong bool
}

// htmlPayment is what the script draws a time line of. Times are in milliseconds.
type htmlPayment struct {
	Order  string      `json:"order"`
	Events []htmlEvent `json:"events"`
	Bands  []htmlBand  `json:"bands"`
	Cut    int         `json:"cut"`
}

type htmlEvent struct {
	At    float64 `json:"at"`
	Lane  string  `json:"lane"`
	Who   string  `json:"who"`
	What  string  `json:"what"`
	Fault bool    `json:"fault"`
	Log   bool    `json:"log"`
}

type htmlBand struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Name string  `json:"name"`
	Text string  `json:"text"`
}

// htmlOpen is how many failures are unfolded when the page opens.
const htmlOpen = 3

func htmlScenarioOf(doc *Document, g *group, ids map[string]bool) htmlScenario {
	s := g.worst
	out := htmlScenario{
		ID: htmlID(g.name, ids), Family: oneLine(g.family, htmlName), Name: oneLine(g.name, htmlName), Title: oneLine(g.title, htmlName),
		Verdict: string(cmp.Or(g.verdict, Inconclusive)), Sign: sign(g.verdict), Open: g.verdict == Fail && len(ids) <= htmlOpen,
		Reproduce: oneLine(s.Reproduce, 4*htmlNote), History: oneLine(s.History, htmlName),
	}
	if n := len(g.trials); n > 1 {
		out.Trials = fmt.Sprintf("%d of %d trials; trial %d is shown", g.with(g.verdict), n, s.Trial)
	}
	switch g.verdict {
	case Pass:
	case Fail:
		for _, m := range head(contradictions(s), htmlTexts) {
			out.Contradictions = append(out.Contradictions, oneLine(m, htmlNote))
		}
		out.Gist = out.Contradictions[0]
		if doc.knows(s) {
			out.Gist = "known: " + out.Gist
		}
	default:
		out.Gist = oneLine(why(s), htmlNote)
	}
	for _, c := range s.Checks {
		out.Checks = append(out.Checks, htmlCheck{oneLine(c.Name, htmlName), oneLine(c.Invariant, 20), string(c.Verdict), sign(c.Verdict), oneLine(c.Reason, htmlNote)})
	}
	for _, f := range head(s.Faults, htmlTexts) {
		out.Faults = append(out.Faults, htmlFault{oneLine(cmp.Or(f.Name, f.Kind), htmlName), oneLine(f.Text, htmlNote), f.Armed, f.Fired})
	}
	for _, c := range broken(s) {
		if c.Cause != "" && len(out.Causes) < 3 {
			out.Causes = append(out.Causes, oneLine(c.Name+": "+c.Cause, htmlNote))
		}
	}
	if b := widest(g.trials); b != nil {
		out.Note = fmt.Sprintf("%s within %s.", count(b.Copies, "request"), spread(b.SpreadUS))
	}
	out.tell(s)
	return out
}

// tell adds the payments: those that are accused with both ledgers, all with a time line.
func (h *htmlScenario) tell(s *Scenario) {
	for _, o := range head(accused(s), htmlOrders) {
		h.Orders = append(h.Orders, htmlOrderOf(o))
		h.Payments = append(h.Payments, htmlPaymentOf(o, s.Faults))
	}
	for i := range head(s.Retold, htmlOrders) {
		h.Orders = append(h.Orders, htmlOrderOf(&s.Retold[i]))
		h.Payments = append(h.Payments, htmlPaymentOf(&s.Retold[i], s.Faults))
	}
	for _, l := range head(s.Log, htmlTexts) {
		h.Log = append(h.Log, oneLine(l, htmlNote))
	}
	var names []string
	for _, n := range head(s.Names, htmlTexts) {
		names = append(names, oneLine(n.Short, htmlName)+" is "+oneLine(n.Full, htmlName))
	}
	h.Names = strings.Join(names, ", ")
}

func head[T any](list []T, n int) []T { return list[:min(len(list), n)] }

func htmlOrderOf(o *Order) htmlOrder {
	out := htmlOrder{Order: oneLine(o.Order, htmlName), Amount: oneLine(money.Text(o.Amount, o.Currency), htmlName)}
	cell := func(lines []Line, i int, none string) htmlLine {
		switch {
		case i < len(lines):
			return htmlLine{oneLine(lines[i].Text, htmlNote), lines[i].Strong}
		case i == 0:
			return htmlLine{Text: none}
		}
		return htmlLine{}
	}
	for i := range min(max(len(o.Ledger), len(o.Rows), 1), htmlTexts) {
		out.Lines = append(out.Lines, [2]htmlLine{cell(o.Ledger, i, "no debit"), cell(o.Rows, i, "no row")})
	}
	return out
}

func htmlPaymentOf(o *Order, faults []Fault) htmlPayment {
	p := htmlPayment{Order: oneLine(o.Order, htmlName), Events: []htmlEvent{}, Bands: []htmlBand{}, Cut: o.Cut}
	for _, e := range o.Timeline {
		if instant(e.AtMS) != "" {
			p.Events = append(p.Events, htmlEvent{e.AtMS, laneOf(e.Lane), oneLine(e.Who, htmlName), oneLine(e.What, htmlNote), e.Fault, false})
		}
	}
	for _, l := range o.Log {
		if instant(l.AtMS) != "" {
			p.Events = append(p.Events, htmlEvent{l.AtMS, LaneService, "log", oneLine(l.Text, htmlNote), false, true})
		}
	}
	for _, f := range head(faults, htmlTexts) {
		for _, s := range head(f.Spans, htmlTexts) {
			if instant(s.FromMS) != "" && s.ToMS >= s.FromMS {
				p.Bands = append(p.Bands, htmlBand{s.FromMS, s.ToMS, oneLine(cmp.Or(f.Name, f.Kind), htmlName), oneLine(f.Text, htmlNote)})
			}
		}
	}
	return p
}

// laneOf keeps the lanes that a page draws; an unknown one is the service's.
func laneOf(lane string) string {
	switch lane {
	case LaneClient, LaneBank, LaneCallback, LaneQueue, LaneDatabase, "":
		return lane
	}
	return LaneService
}

// htmlID is what a link within the page, or from elsewhere to it, names a scenario by.
func htmlID(name string, taken map[string]bool) string {
	id := "s-" + slug(oneLine(name, htmlName))
	for base, n := id, 2; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	taken[id] = true
	return id
}
