package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Markdown is the report that a team files as its record: it reads rendered and raw.
var Markdown = register(Format{
	Name:   "md",
	File:   "report.md",
	Doc:    "the report for people, for a review or a CI summary",
	Render: markdownIn(nil),
})

// maxMarkdown is what a report stays below, in bytes: GitHub refuses a step summary above 1,024 KiB, and a job may add
// a line of its own.
const maxMarkdown = 1020 << 10

// detail is how much evidence a report shows. Lengths are in runes.
type detail struct {
	rows     int // scenarios listed in the table; what passed goes first
	listed   int // scenarios in each of the other lists
	sections int // failures told in full
	orders   int // payments in each of them
	lines    int // lines of a ledger or a time line
	findings int
	name     int
	note     int
	command  int
	left     string // what is left out against the fullest report
}

// details go from the fullest to the one that fits whatever the document holds.
var details = []detail{
	{rows: 5000, listed: 2000, sections: 500, orders: 10, lines: 500, findings: 50, name: 120, note: 600, command: 4000},
	{rows: 5000, listed: 2000, sections: 200, orders: 3, lines: 100, findings: 10, name: 120, note: 400, command: 4000,
		left: "payments after the third of a failure and long ledgers and time lines"},
	{rows: 3000, listed: 1000, sections: 50, orders: 1, lines: 40, findings: 3, name: 100, note: 200, command: 2000,
		left: "all but one payment of each failure, all but 40 lines of its ledgers and time line, and the evidence after failure 50"},
	{rows: 2000, listed: 300, sections: 20, orders: 1, lines: 12, findings: 2, name: 80, note: 120, command: 1000,
		left: "most of the evidence: 12 lines for each of the 20 gravest failures remain"},
	{rows: 600, listed: 50, sections: 5, orders: 0, lines: 0, findings: 1, name: 40, note: 60, command: 400,
		left: "all ledgers and time lines, and the rows of most scenarios that passed"},
}

// markdownIn renders the report in a language.
func markdownIn(l *language) func(io.Writer, *Document) error {
	return func(w io.Writer, doc *Document) error { return writeMarkdown(w, doc, l, maxMarkdown) }
}

// writeMarkdown writes the fullest report that stays below a limit in bytes, or, where none does, the barest.
func writeMarkdown(w io.Writer, doc *Document, l *language, limit int) error {
	all := groups(doc)
	var b bytes.Buffer
	for _, d := range details {
		b.Reset()
		p := page{Buffer: &b, detail: d, doc: doc, groups: all, lang: l}
		p.write()
		if b.Len() < limit {
			break
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// page is one attempt at writing a document at one level of detail.
type page struct {
	*bytes.Buffer
	detail
	doc     *Document
	groups  []*group
	anchors map[*group]string // failures that have a section of their own
	lang    *language
}

func (p *page) write() {
	failed := failures(p.groups)
	p.anchors = map[*group]string{}
	for i, g := range failed[:min(len(failed), p.sections)] {
		p.anchors[g] = slug(p.heading(i+1, g, oneLine, oneLine))
	}
	p.top()
	p.numbers()
	p.baseline()
	p.sweep()
	p.failures(failed)
	p.environment()
	p.open()
	p.tried()
	p.states()
	p.losses()
	p.uncovered()
	p.sureness()
}

// printf writes a line. Whatever is not ours must have gone through prose, opening or code.
func (p *page) printf(format string, args ...any) {
	p.WriteString(p.lang.sprintf(format, args...) + "\n")
}

func (p *page) row(cells ...string) {
	told := make([]string, len(cells))
	for i, c := range cells {
		told[i] = p.lang.tell(c)
	}
	p.WriteString("| " + strings.Join(told, " | ") + " |\n")
}

func (p *page) header(cells ...string) {
	p.row(cells...)
	p.WriteString("|" + strings.Repeat("---|", len(cells)) + "\n")
}

// prose and opening are text that is not ours, in the language of the page and harmless in it.
func (p *page) prose(s string, limit int) string { return prose(p.lang.tell(s), limit) }

func (p *page) opening(s string, limit int) string { return opening(p.lang.tell(s), limit) }

// sentence ends a text with one full stop.
func (p *page) sentence(s string) string {
	told := p.lang.tell(strings.TrimRight(s, ". \n"))
	if last, _ := utf8.DecodeLastRuneInString(told); last > 0x2e80 {
		return told + "。"
	}
	return told + "."
}

// further says how many of a list were left out; nothing where none were.
func (p *page) further(n int, what string) {
	if n > 0 {
		p.printf("\n… and %s, in `result.json`.", count(n, "further "+what))
	}
}

// top is what somebody reads who reads nothing else.
func (p *page) top() {
	d := p.doc
	p.printf("# Payment fault-injection report: **%s**\n", headword(d))
	if d.Error != "" {
		p.printf("> **The environment failed**, and the run ended there: %s\n", p.prose(d.Error, 2000))
	}
	if d.Interrupted {
		p.printf("> **The run was interrupted.** What follows covers only the %s that had ended.\n", tally(d, len(p.groups)))
	}
	if n := spoilt(d); n > 0 {
		p.printf("> **The environment failed in %s**, which says nothing about the target; see below.\n", count(n, "trial"))
	}
	who := "**" + p.prose(cmp.Or(d.Target, "the target"), p.name) + "**"
	if d.Mutant != "" {
		who = p.lang.sprintf("%s with the mutant %s", who, code(d.Mutant, p.name))
	}
	p.printf("%s %s in %s. %s", who, p.done(), tally(d, len(p.groups)), outcome(d, p.groups))
	p.printf("**%s**\n", p.prose(moneyLine(d.Money), 2000))
	if len(d.Money.Created)+len(d.Money.Destroyed) > 0 {
		p.printf("Created is money that the service calls paid and the bank never took; destroyed is money that the bank" +
			" took and the service does not know as paid.\n")
	}
	if p.left != "" {
		p.printf("> To stay below 1,024 KiB this page leaves out %s. No verdict is left out of the counts, and `result.json` has everything.\n", p.left)
	}
}

// done says what was done to the target. A scenario without a fault is a test too: a click twice, a callback that comes late.
func (p *page) done() string {
	armed, n := fired(trials(p.groups))
	switch {
	case n > 0:
		return "was broken on purpose " + count(n, "time")
	case armed > 0:
		return "was never disturbed"
	case len(perhaps(trials(p.groups))) > 0:
		return "was disturbed on purpose"
	case len(of(p.groups, Pass))+len(of(p.groups, Fail)) > 0:
		return "was put to the test by clients and bank alone, without a fault on any link,"
	}
	return "was never disturbed"
}

func (p *page) numbers() {
	d := p.doc
	armed, hit := fired(trials(p.groups))
	s := d.Summary
	what := "scenarios"
	if len(p.groups) != len(d.Scenarios) {
		what = "trials of " + count(len(p.groups), "scenario")
	}
	p.header("", "")
	p.row(what, fmt.Sprintf("%d pass · %s · %s · %d skipped", s.Pass, strong(s.Fail, "fail"), strong(s.Inconclusive, "inconclusive"), s.Skipped))
	p.row("payments submitted / debits at the bank / SUCCESS rows",
		fmt.Sprintf("%d / %d / %d", d.Money.Payments, d.Money.Debits, d.Money.SuccessRows))
	p.row("faults armed / felt", fmt.Sprintf("%d / %d", armed, hit))
	p.row("target", codeCell(d.Target, p.name))
	if d.Mutant != "" {
		p.row("mutant", codeCell(d.Mutant, p.name))
	}
	p.row("runtime, speed, seed", fmt.Sprintf("%s, %s, `%d`", p.prose(cmp.Or(d.Runtime, "–"), p.name), times(d.Speed), d.Seed))
	p.row("made by", p.prose(cmp.Or(d.Tool.Name, "onedebit"), p.name)+" "+p.prose(d.Tool.Version, p.name))
	if d.Command != "" {
		p.row("command", codeCell(d.Command, 1000))
	}
	p.printf("")
}

func strong(n int, word string) string {
	if n == 0 {
		return "0 " + word
	}
	return fmt.Sprintf("**%d %s**", n, word)
}

func times(speed float64) string { return strconv.FormatFloat(speed, 'g', -1, 64) + "×" }

// tried is the table of all scenarios by family.
func (p *page) tried() {
	if len(p.groups) == 0 {
		return
	}
	p.printf("## What was tried\n")
	shown := p.shown()
	p.header("family", "scenario", "verdict", "payments", "faults felt", "note")
	hidden := Summary{}
	for _, g := range p.groups {
		if !shown[g] {
			s, _ := Summarise([]Scenario{{Verdict: g.verdict}})
			hidden.Pass, hidden.Fail = hidden.Pass+s.Pass, hidden.Fail+s.Fail
			hidden.Inconclusive, hidden.Skipped = hidden.Inconclusive+s.Inconclusive, hidden.Skipped+s.Skipped
			continue
		}
		armed, hit := fired(g.trials)
		payments := 0
		for _, s := range g.trials {
			payments += s.Payments
		}
		p.row(p.prose(g.family, p.name), codeCell(g.name, p.name), verdictCell(g), strconv.Itoa(payments),
			fmt.Sprintf("%d/%d", hit, armed), p.noteCell(g))
	}
	if n := hidden.Total(); n > 0 {
		p.printf("\n… and %s: %s, in `result.json`.", count(n, "further scenario"), hidden)
	}
	p.printf("")
}

// shown picks the rows of the table: where not all fit, the worst.
func (p *page) shown() map[*group]bool {
	shown := map[*group]bool{}
	for _, v := range []Verdict{Fail, Inconclusive, Skipped, Pass} {
		for _, g := range of(p.groups, v) {
			if len(shown) < p.rows {
				shown[g] = true
			}
		}
	}
	return shown
}

// verdictCell is the worst verdict of a scenario and, with repeats, how many trials had it.
func verdictCell(g *group) string {
	v := string(g.verdict)
	if g.verdict == Fail || g.verdict == Inconclusive {
		v = "**" + v + "**"
	}
	if n := len(g.trials); n > 1 {
		v += fmt.Sprintf(" (%d of %d trials)", g.with(g.verdict), n)
	}
	return v
}

func (p *page) noteCell(g *group) string {
	var notes []string
	switch {
	case p.anchors[g] != "":
		notes = append(notes, p.lang.sprintf("[what went wrong](#%s)", p.anchors[g]))
	case g.verdict == Fail:
		notes = append(notes, p.prose(contradictions(g.worst)[0], p.note))
	case g.verdict != Pass:
		notes = append(notes, p.prose(why(g.worst), p.note))
	}
	if b := widest(g.trials); b != nil {
		notes = append(notes, fmt.Sprintf("%d copies together", b.Copies))
	}
	return strings.Join(notes, "; ")
}

// widest is the burst that was released least together.
func widest(trials []*Scenario) *Burst {
	var w *Burst
	for _, s := range trials {
		if s.Burst != nil && (w == nil || s.Burst.SpreadUS > w.SpreadUS) {
			w = s.Burst
		}
	}
	return w
}

// uncovered lists what the run says nothing about.
func (p *page) uncovered() {
	skipped := of(p.groups, Skipped)
	if len(skipped)+len(p.doc.NotCovered) == 0 {
		return
	}
	p.printf("## What was not covered\n")
	for _, s := range p.doc.NotCovered[:min(len(p.doc.NotCovered), p.listed)] {
		p.printf("- %s", p.opening(s, p.note))
	}
	for _, g := range skipped[:min(len(skipped), p.listed)] {
		p.printf("- %s was skipped: %s", code(g.name, p.name), p.prose(why(g.worst), p.note))
	}
	p.further(len(p.doc.NotCovered)-p.listed, "gap")
	p.further(len(skipped)-p.listed, "skipped scenario")
	p.printf("")
}

// sureness says what the verdict rests on.
func (p *page) sureness() {
	d := p.doc
	p.printf("## How sure is this\n")
	switch {
	case d.Clean > 0:
		p.printf("- Clean payments came first: %s without any fault, all right.", count(d.Clean, "payment"))
	default:
		p.printf("- No clean payment before the first fault is on record: that the target works at all was not shown here.")
	}
	p.printf("- Seed `%d`, speed %s, %s, %s, made with %s %s.", d.Seed, times(d.Speed), count(max(d.Repeat, 1), "trial")+" of each scenario",
		"runtime "+p.prose(cmp.Or(d.Runtime, "–"), p.name), p.prose(cmp.Or(d.Tool.Name, "onedebit"), p.name), p.prose(d.Tool.Version, p.name))
	if d.Repeat <= 1 {
		p.printf("- Each scenario was tried once: a race that is lost seldom may not show. `--repeat` tries again.")
	}
	p.printf("- The same seed gives the same plan of faults; the service itself decides its own timing.")
	p.printf("- A scenario whose fault never fired is inconclusive, never a pass.")
	for _, s := range d.Grounds[:min(len(d.Grounds), p.listed)] {
		p.printf("- %s", p.opening(s, p.note))
	}
	p.printf("- Two runs of one seed differ only between the marks `times` in the text of this page.")
	p.begun()
}

// Marks around all that differs between two runs of one seed: times, and what depends on them.
const (
	timesBegin = "<!-- times -->\n"
	timesEnd   = "<!-- end of times -->\n"
)

// begun is when the run began, how long it took, and how close together copies were released.
func (p *page) begun() {
	d := p.doc
	p.printf("\n" + timesBegin)
	if !d.Started.IsZero() {
		p.printf("- Started %s, took %s.", d.Started.UTC().Format(time.RFC3339), lasted(d.DurationMS))
	}
	told := 0
	for _, g := range p.groups {
		if b := widest(g.trials); b != nil && told < p.listed {
			told++
			p.printf("- %s: %s within %s.", code(g.name, p.name), count(b.Copies, "request"), spread(b.SpreadUS))
		}
		felt := perhaps(g.trials)
		for _, name := range slices.Sorted(maps.Keys(felt)) {
			if told < p.listed {
				told++
				p.printf("- %s: fault %s, which need not be felt, was felt %s.", code(g.name, p.name), code(name, p.name), count(felt[name], "time"))
			}
		}
	}
	p.WriteString("\n" + timesEnd)
}
