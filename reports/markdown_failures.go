package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/money"
)

// heading is the heading of a failure; plain text with oneLine twice, markdown with code and prose.
func (p *page) heading(n int, g *group, name, title func(string, int) string) string {
	h := fmt.Sprintf("%d. %s", n, name(g.name, p.name))
	if t := title(p.lang.tell(g.title), p.name); t != "" {
		h += ": " + t
	}
	return h
}

func (p *page) failures(failed []*group) {
	if len(failed) == 0 {
		return
	}
	p.printf("## What went wrong\n")
	for i, g := range failed {
		if p.anchors[g] == "" {
			p.restOfFailures(failed[i:])
			return
		}
		p.printf("### %s\n", p.heading(i+1, g, code, prose))
		p.failure(g)
	}
}

// restOfFailures names those that are not told in full.
func (p *page) restOfFailures(rest []*group) {
	p.printf("### Further failures\n")
	for _, g := range rest[:min(len(rest), p.listed)] {
		p.printf("- %s: %s Again: %s", code(g.name, p.name), p.prose(p.sentence(contradictions(g.worst)[0]), p.note),
			code(g.worst.Reproduce, p.command))
	}
	p.further(len(rest)-p.listed, "failed scenario")
	p.printf("")
}

func (p *page) failure(g *group) {
	s := g.worst
	messages := contradictions(s)
	for _, m := range messages[:min(len(messages), p.findings)] {
		p.printf("> %s\n", p.opening(m, 4*p.note))
	}
	p.further(len(messages)-p.findings, "finding")
	if n := len(g.trials); n > 1 {
		p.printf("Failed in %d of %d trials; trial %d is shown.\n", g.with(Fail), n, s.Trial)
	}
	p.brokenChecks(s)
	orders := accused(s)
	for _, o := range orders[:min(len(orders), p.orders)] {
		p.order(o, s.Faults)
	}
	p.further(len(orders)-p.orders, "payment")
	p.evidence(s)
	p.names(s)
	p.causes(s)
	if s.Reproduce != "" {
		p.printf("Again: %s\n", code(s.Reproduce, p.command))
	}
	if s.History != "" {
		p.printf("Everything that was observed: %s\n", code(s.History, 400))
	}
}

func (p *page) brokenChecks(s *Scenario) {
	var names []string
	bad := broken(s)
	for _, c := range bad[:min(len(bad), p.listed)] {
		name := code(c.Name, p.name)
		if c.Invariant != "" {
			name += " (" + p.prose(c.Invariant, 20) + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		p.printf("Broken: what the scenario expects.\n")
		return
	}
	p.printf("Broken: %s.\n", strings.Join(names, ", "))
}

func (p *page) causes(s *Scenario) {
	var told []string
	for _, c := range broken(s) {
		if c.Cause != "" && len(told) < p.findings && !slices.Contains(told, c.Cause) {
			told = append(told, c.Cause)
			p.printf("Usual cause (%s): %s\n", code(c.Name, p.name), p.prose(p.sentence(c.Cause), 2*p.note))
		}
	}
}

// accused are the payments with evidence, those that a finding names first.
func accused(s *Scenario) []*Order {
	at := map[string]int{}
	for _, c := range broken(s) {
		for _, f := range c.Findings {
			if _, ok := at[f.Payment]; !ok {
				at[f.Payment] = len(at)
			}
		}
	}
	orders := make([]*Order, 0, len(s.Orders))
	for i := range s.Orders {
		orders = append(orders, &s.Orders[i])
	}
	place := func(o *Order) int {
		if n, ok := at[o.Order]; ok {
			return n
		}
		return len(at)
	}
	slices.SortStableFunc(orders, func(a, b *Order) int { return place(a) - place(b) })
	return orders
}

// evidence lists what findings rest on whose payment has no ledgers to show.
func (p *page) evidence(s *Scenario) {
	told := map[string]bool{}
	for i := range s.Orders {
		told[s.Orders[i].Order] = true
	}
	var lines []string
	for _, c := range broken(s) {
		for _, f := range c.Findings {
			if !told[f.Payment] {
				lines = append(lines, f.Evidence...)
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	p.printf(timesBegin)
	p.printf("Evidence:\n")
	for _, l := range lines[:min(len(lines), p.lines)] {
		p.printf("- %s", p.opening(l, p.note))
	}
	p.further(len(lines)-p.lines, "line")
	p.printf("\n" + timesEnd)
}

// names says what the short names stand for, which is another thing in each run.
func (p *page) names(s *Scenario) {
	if len(s.Names) == 0 {
		return
	}
	var each []string
	for _, n := range s.Names[:min(len(s.Names), p.lines)] {
		each = append(each, p.lang.sprintf("%s is %s", p.prose(n.Short, p.name), code(n.Full, p.name)))
	}
	p.printf(timesBegin)
	p.printf("%s.", strings.Join(each, ", "))
	p.further(len(s.Names)-p.lines, "name")
	p.printf("\n" + timesEnd)
}

func (p *page) order(o *Order, faults []Fault) {
	p.printf("Order %s, %s:\n", code(o.Order, p.name), p.prose(money.Text(o.Amount, o.Currency), p.name))
	p.ledgers(o)
	p.timeline(o, faults)
	p.logged(o)
}

// ledgers puts what the bank holds beside what the service holds.
func (p *page) ledgers(o *Order) {
	p.header("bank ledger", "service rows")
	n := max(len(o.Ledger), len(o.Rows))
	for i := range min(n, p.lines) {
		p.row(p.line(o.Ledger, i, "*no debit*"), p.line(o.Rows, i, "*no row*"))
	}
	if n == 0 {
		p.row("*no debit*", "*no row*")
	}
	p.further(n-p.lines, "line")
	p.printf("")
}

// line is one line of a ledger as a cell; none is what an empty ledger shows.
func (p *page) line(lines []Line, i int, none string) string {
	if i >= len(lines) {
		if i == 0 {
			return none
		}
		return ""
	}
	text := p.prose(lines[i].Text, p.note)
	if lines[i].Strong && text != "" {
		text = "**" + text + "**"
	}
	return text
}

// timeline is what happened to a payment. The faults in force stand as bands beside it, and what they did is marked.
func (p *page) timeline(o *Order, faults []Fault) {
	if len(o.Timeline)+o.Cut == 0 {
		return
	}
	p.printf(timesBegin)
	p.header("time (s)", "fault", "who", "what")
	for _, e := range o.Timeline[:min(len(o.Timeline), p.lines)] {
		who, what := p.prose(e.Who, p.name), p.prose(e.What, p.note)
		if e.Fault {
			who = cmp.Or(who, "fault")
			who, what = "▓ **"+who+"**", "▓ "+what+" ▓"
		}
		p.row(instant(e.AtMS), p.band(faults, e.AtMS), who, what)
	}
	if left := max(len(o.Timeline)-p.lines, 0) + o.Cut; left > 0 {
		p.printf("\n… and %s of this time line.", count(left, "further line"))
	}
	p.printf("\n" + timesEnd)
}

// band names the faults in force at an instant.
func (p *page) band(faults []Fault, at float64) string {
	var names []string
	for _, f := range faults {
		if slices.ContainsFunc(f.Spans, func(s Span) bool { return s.FromMS <= at && at <= s.ToMS }) && len(names) < 4 {
			names = append(names, "▓ "+prose(cmp.Or(f.Name, f.Kind), 20))
		}
	}
	return strings.Join(names, " ")
}

// logged is what the service itself has logged about a payment.
func (p *page) logged(o *Order) {
	if len(o.Log) == 0 {
		return
	}
	lines := make([]string, 0, len(o.Log))
	for _, l := range o.Log[:min(len(o.Log), p.lines)] {
		lines = append(lines, strings.TrimSpace(instant(l.AtMS)+" "+l.Text))
	}
	if len(lines) == 0 {
		return
	}
	p.printf(timesBegin)
	p.printf("The service's log:")
	p.block("", lines)
	if left := max(len(o.Log)-p.lines, 0) + o.LogCut; left > 0 {
		p.printf("… and %s of this log.\n", count(left, "further line"))
	}
	p.printf(timesEnd)
}

// environment tells of trials that the environment spoilt, with the last the service said.
func (p *page) environment() {
	if spoilt(p.doc) == 0 {
		return
	}
	p.printf("## Trouble of the environment\n")
	p.printf("This says nothing about the target.\n")
	told := 0
	for _, s := range trials(p.groups) {
		if s.Error == "" {
			continue
		}
		if told++; told <= p.listed {
			p.printf("- %s: %s", code(s.Name, p.name), p.prose(s.Error, p.note))
			p.log(s.Log)
		}
	}
	p.further(told-p.listed, "trial")
	p.printf("")
}

// log is a block of the service's last lines, within a list item.
func (p *page) log(lines []string) {
	if lines = lines[max(len(lines)-p.lines, 0):]; len(lines) > 0 {
		p.block("  ", lines)
	}
}

// block is lines of text as they are, between fences that none of them can close.
func (p *page) block(indent string, lines []string) {
	fence := 3
	clean := make([]string, len(lines))
	for i, l := range lines {
		clean[i] = oneLine(l, p.note)
		fence = max(fence, longestRun(clean[i], '`')+1)
	}
	fmt.Fprintf(p, "\n%s%stext\n", indent, strings.Repeat("`", fence))
	for _, l := range clean {
		fmt.Fprintf(p, "%s%s\n", indent, l)
	}
	fmt.Fprintf(p, "%s%s\n\n", indent, strings.Repeat("`", fence))
}

// open lists the scenarios without a verdict, and why.
func (p *page) open() {
	open := of(p.groups, Inconclusive)
	if len(open) == 0 {
		return
	}
	p.printf("## What could not be judged\n")
	for _, g := range open[:min(len(open), p.listed)] {
		p.printf("- %s: %s", code(g.name, p.name), p.prose(why(g.worst), p.note))
		never := silent(g.worst)
		for _, f := range never[:min(len(never), p.findings)] {
			p.printf("  - fault %s never fired (armed %d, fired 0): %s", code(f.Name, p.name), f.Armed, p.prose(f.Text, p.note))
		}
		if g.worst.Reproduce != "" {
			p.printf("  - again: %s", code(g.worst.Reproduce, p.command))
		}
	}
	p.further(len(open)-p.listed, "inconclusive scenario")
	p.printf("")
}
