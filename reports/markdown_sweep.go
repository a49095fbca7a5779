package reports

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// mostArrows bounds a diagram: a forge draws none that is too long, and nobody reads one. In characters the limit is
// 50,000.
const mostArrows = 120

// sweep is the chapter about a sweep: the matrix of points and kinds, the payment with its failing points, and what was
// left out.
func (p *page) sweep() {
	s := p.doc.Sweep
	if s == nil {
		return
	}
	results := p.doc.results()
	p.printf("## The sweep\n")
	p.printf("%s A cell has one sign for each experiment: ✓ pass, ✗ fail, ? inconclusive, · not begun; – where the kind does not"+
		" fit the point. Of two signs the second is the client that tries again under a new key.\n", prose(sweepLine(p.doc), 500))
	p.cells(s, results)
	p.diagram(s, results)
	p.pairs(s, results)
	p.unexercised(s, results)
	p.smallest(s)
	p.leftOut(s)
}

// cellSign is the sign of one experiment in the matrix.
func cellSign(s *Scenario) string {
	switch {
	case s == nil:
		return "·"
	case s.Verdict == Pass && !felt(s):
		return sign(Inconclusive)
	}
	return sign(s.Verdict)
}

// cells is the matrix.
func (p *page) cells(s *Sweep, results map[string]*Scenario) {
	head := []string{"point"}
	for _, k := range s.Kinds {
		head = append(head, codeCell(k.Name, p.name))
	}
	signs := map[SweepPlace]string{}
	for _, c := range s.Cells {
		if len(c.At) == 1 {
			signs[c.At[0]] += cellSign(results[c.Scenario])
		}
	}
	p.header(head...)
	for i, point := range s.Points[:min(len(s.Points), p.rows)] {
		row := []string{prose(point.String(), p.name)}
		for _, k := range s.Kinds {
			cell := signs[SweepPlace{i, k.Name}]
			if cell == "" {
				cell = "–"
			}
			row = append(row, cell)
		}
		p.row(row...)
	}
	p.further(len(s.Points)-p.rows, "point")
	p.printf("")
}

var (
	unsafeInDiagram = regexp.MustCompile(`[^\p{L}\p{N} /_.:*,()✗→-]`)
	endInDiagram    = regexp.MustCompile(`(?i)\bend\b`)
)

// drawn is a text within a diagram: no sign that its language understands, and no word that ends it.
func drawn(text string, limit int) string {
	text = unsafeInDiagram.ReplaceAllString(oneLine(text, limit), " ")
	text = endInDiagram.ReplaceAllString(text, "(end)")
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " "))
}

// diagram is the payment as it was recorded, with the points at which it breaks.
func (p *page) diagram(s *Sweep, results map[string]*Scenario) {
	broken := map[int][]string{}
	for _, c := range s.Cells {
		if r := results[c.Scenario]; r == nil || r.Verdict != Fail {
			continue
		}
		for _, at := range c.At {
			if !slices.Contains(broken[at.Point], at.Kind) {
				broken[at.Point] = append(broken[at.Point], at.Kind)
			}
		}
	}
	p.printf("```mermaid\nsequenceDiagram")
	for _, who := range []string{"client", "service", "cache", "db", "bank", "queue"} {
		if slices.ContainsFunc(s.Points, func(q SweepPoint) bool { return q.From == who || q.To == who }) {
			p.printf("    participant %s", who)
		}
	}
	for _, i := range s.Sequence[:min(len(s.Sequence), mostArrows)] {
		point, arrow := s.Points[i], "->>"
		if point.Dir == "answer" {
			arrow = "-->>"
		}
		text := fmt.Sprintf("    %s%s%s: %s", drawn(point.From, 20), arrow, drawn(point.To, 20), drawn(point.Label, 60))
		if kinds := broken[i]; len(kinds) > 0 {
			p.printf("    rect rgb(255, 205, 205)\n%s ✗ %s\n    end", text, drawn(strings.Join(kinds, ", "), 120))
			continue
		}
		p.printf("%s", text)
	}
	p.printf("```\n")
}

// pairs are the experiments with two faults: how many, and which were no pass.
func (p *page) pairs(s *Sweep, results map[string]*Scenario) {
	var sum Summary
	var bad []SweepCell
	begun := 0
	for _, c := range s.Cells {
		r := results[c.Scenario]
		if len(c.At) < 2 || r == nil {
			continue
		}
		begun++
		sum.Count(r.Verdict)
		if r.Verdict != Pass {
			bad = append(bad, c)
		}
	}
	if begun == 0 {
		return
	}
	p.printf("Pairs of faults: %s, the most telling first; %s.\n", count(begun, "experiment"), sum)
	for _, c := range bad[:min(len(bad), p.listed)] {
		var at []string
		for _, place := range c.At {
			at = append(at, place.Kind+" at "+s.Points[place.Point].String())
		}
		p.printf("- %s %s: %s", cellSign(results[c.Scenario]), results[c.Scenario].Verdict, prose(strings.Join(at, "; "), p.note))
	}
	p.further(len(bad)-p.listed, "pair")
	p.printf("")
}

// unexercised are the experiments that have shown nothing, with the reason.
func (p *page) unexercised(s *Sweep, results map[string]*Scenario) {
	var lines []string
	notBegun := 0
	for _, c := range s.Cells {
		r := results[c.Scenario]
		switch {
		case r == nil:
			notBegun++
		case r.Verdict == Inconclusive || r.Verdict == Skipped:
			lines = append(lines, fmt.Sprintf("- %s: %s %s", codeCell(c.Scenario, p.name), r.Verdict, prose(r.Reason, p.note)))
		case r.Verdict == Pass && !felt(r) && len(c.At) == 1:
			lines = append(lines, fmt.Sprintf("- %s: its fault was not felt", codeCell(c.Scenario, p.name)))
		}
	}
	if notBegun > 0 {
		lines = append(lines, fmt.Sprintf("- %s not begun", count(notBegun, "experiment")))
	}
	if len(lines) == 0 {
		return
	}
	p.printf("What could not be exercised:\n")
	p.printf("%s", strings.Join(lines[:min(len(lines), p.listed)], "\n"))
	p.further(len(lines)-p.listed, "experiment")
	p.printf("")
}

// smallest are the counter-examples that remain when all is dropped that they do not need.
func (p *page) smallest(s *Sweep) {
	for _, c := range s.Smallest[:min(len(s.Smallest), p.sections)] {
		p.printf("The least that still breaks %s, in %d of %d trials, of %s; it is in %s:\n",
			codeCell(c.Check, p.name), c.Trials, c.Trials, codeCell(c.Scenario, p.name), codeCell(c.File, p.name))
		for line := range strings.Lines(c.Text) { // indented, so that nothing within can end the block
			p.printf("    %s", cutAt(strings.TrimRight(line, "\n"), 400))
		}
		p.printf("")
	}
}

// leftOut is what was seen and is no point, and which kinds do not fit where.
func (p *page) leftOut(s *Sweep) {
	if len(s.Left) > 0 {
		p.printf("Left out, since they are no part of one payment:\n")
		p.header("link", "message", "seen", "why")
		for _, l := range s.Left[:min(len(s.Left), p.listed)] {
			p.row(prose(l.Link, p.name), prose(l.Label, p.name), fmt.Sprint(l.Times), prose(l.Why, p.note))
		}
		p.further(len(s.Left)-p.listed, "message")
		p.printf("")
	}
	why := map[string][]string{}
	for _, u := range s.Unfit {
		key := u.Place.Kind + ": " + u.Why
		why[key] = append(why[key], fmt.Sprint(u.Place.Point))
	}
	for _, key := range slices.Sorted(maps.Keys(why)) {
		p.printf("- Not tried at %s: %s", count(len(why[key]), "point"), prose(key, p.note))
	}
	if len(why) > 0 {
		p.printf("")
	}
}
