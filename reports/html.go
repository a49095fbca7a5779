package reports

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
)

// HTML is one file for a browser, without any other: it can be mailed, and opens where there is no network.
var HTML = register(Format{
	Name:   "html",
	File:   "report.html",
	Doc:    "one page for a browser: filters, time lines to zoom into, charts; needs no network",
	Render: renderHTML,
})

//go:embed html_page.tmpl
var pageText string

//go:embed html_page.css
var pageStyle string

//go:embed html_page.js
var pageScript string

// Everything that is not ours goes through the template, which escapes it for the place that it stands in, and the script
// puts texts into the page as texts only. The policy in the page's head lets nothing run but this very script.
var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Bounds of a page, so that a browser opens it at once.
const (
	htmlScenarios = 5000
	htmlOrders    = 20 // payments of one scenario
	htmlTexts     = 60 // findings, faults and other lines of one scenario
	htmlName      = 160
	htmlNote      = 1000
)

// htmlPage is what the template shows.
type htmlPage struct {
	Style     template.CSS
	Script    template.JS
	Policy    string
	Head      string
	Class     string
	Subject   string
	Outcome   string
	Money     string
	Troubles  []string
	Facts     [][2]string
	Verdicts  []htmlCount
	Families  []string
	Scenarios []htmlScenario
	Hidden    int
	Grids     []htmlGrid
	Baseline  *htmlBaseline
	Chart     *htmlChart
	Gaps      []string
	Sure      []string
}

type htmlCount struct {
	Verdict, Sign string
	N             int
}

func renderHTML(w io.Writer, doc *Document) error {
	all := groups(doc)
	p := newHTMLPage("onedebit: " + headword(doc))
	p.Class, p.Subject, p.Outcome, p.Money = string(cmp.Or(doc.Verdict, Inconclusive)), subject(doc, all), outcome(doc, all), oneLine(moneyLine(doc.Money), htmlNote)
	p.Troubles, p.Facts = htmlTroubles(doc, all), htmlFacts(doc)
	for _, v := range []Verdict{Fail, Inconclusive, Skipped, Pass} {
		p.Verdicts = append(p.Verdicts, htmlCount{string(v), sign(v), len(of(all, v))})
	}
	ids, shown := map[string]bool{}, map[string]string{}
	for _, g := range worstFirst(all) {
		if name := oneLine(g.family, htmlName); !slices.Contains(p.Families, name) {
			p.Families = append(p.Families, name)
		}
		if len(p.Scenarios) < htmlScenarios {
			p.Scenarios = append(p.Scenarios, htmlScenarioOf(doc, g, ids))
			shown[g.name] = p.Scenarios[len(p.Scenarios)-1].ID
		} else {
			p.Hidden++
		}
	}
	slices.Sort(p.Families)
	if doc.Sweep != nil {
		p.Grids = append(p.Grids, sweepGrid(doc, shown))
	}
	p.Grids = append(p.Grids, checkGrid(p.Scenarios, worstFirst(all)))
	p.Baseline = htmlBaselineOf(doc.Baseline)
	p.Chart = htmlChartOf(doc)
	for _, s := range doc.NotCovered {
		p.Gaps = append(p.Gaps, oneLine(s, htmlNote))
	}
	p.Sure = htmlSure(doc)
	return p.write(w)
}

func newHTMLPage(head string) *htmlPage {
	return &htmlPage{Style: template.CSS(pageStyle), Script: template.JS(pageScript), Head: oneLine(head, htmlName),
		Policy: fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'", digest(pageStyle), digest(pageScript))}
}

// digest is how a content security policy names a text that it allows.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (p *htmlPage) write(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("render html: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

// sign is a verdict for the eye, beside its word.
func sign(v Verdict) string {
	switch v {
	case Pass:
		return "✓"
	case Fail:
		return "✗"
	case Skipped:
		return "–"
	}
	return "?"
}

// worstFirst is the order of a page: failures by gravity, then what could not be judged, and what passed at the end.
func worstFirst(all []*group) []*group {
	out := failures(all)
	for _, v := range []Verdict{Inconclusive, Skipped, Pass} {
		out = append(out, of(all, v)...)
	}
	for _, g := range all {
		if rank[g.verdict] == 0 {
			out = append(out, g)
		}
	}
	return out
}

// subject says what was broken on purpose, and how often.
func subject(doc *Document, all []*group) string {
	who := cmp.Or(oneLine(doc.Target, htmlName), "the target")
	if doc.Mutant != "" {
		who += " with the mutant " + oneLine(doc.Mutant, htmlName)
	}
	armed, felt := fired(trials(all))
	return fmt.Sprintf("%s, in %s; faults armed %d, felt %d.", who, tally(doc, len(all)), armed, felt)
}

func htmlTroubles(doc *Document, all []*group) (out []string) {
	if doc.Error != "" {
		out = append(out, "The environment failed, and the run ended there: "+oneLine(doc.Error, 2*htmlNote))
	}
	if doc.Interrupted {
		out = append(out, "The run was interrupted: only the "+tally(doc, len(all))+" that had ended are here.")
	}
	if n := spoilt(doc); n > 0 {
		out = append(out, "The environment failed in "+count(n, "trial")+", which says nothing about the target.")
	}
	return out
}

func htmlFacts(d *Document) [][2]string {
	out := [][2]string{
		{"trials", d.Summary.String()},
		{"payments / debits / SUCCESS rows", fmt.Sprintf("%d / %d / %d", d.Money.Payments, d.Money.Debits, d.Money.SuccessRows)},
		{"target", oneLine(d.Target, htmlName)}, {"mutant", oneLine(d.Mutant, htmlName)},
		{"runtime, speed, seed", fmt.Sprintf("%s, %s, %d", cmp.Or(oneLine(d.Runtime, htmlName), "–"), times(d.Speed), d.Seed)},
		{"made by", strings.TrimSpace(cmp.Or(oneLine(d.Tool.Name, htmlName), "onedebit") + " " + oneLine(d.Tool.Version, htmlName))},
		{"command", oneLine(d.Command, htmlNote)},
	}
	if !d.Started.IsZero() {
		out = append(out, [2]string{"started, took", d.Started.UTC().Format(time.RFC3339) + ", " + lasted(d.DurationMS)})
	}
	return out
}

// htmlSure says what the verdict rests on.
func htmlSure(d *Document) []string {
	out := []string{"No clean payment before the first fault is on record: that the target works at all was not shown here."}
	if d.Clean > 0 {
		out[0] = "Clean payments came first: " + count(d.Clean, "payment") + " without any fault, all right."
	}
	if d.Repeat <= 1 {
		out = append(out, "Each scenario was tried once: a race that is lost seldom may not show.")
	}
	out = append(out, "The same seed gives the same plan of faults; the service itself decides its own timing.",
		"A scenario whose fault never fired is inconclusive, never a pass.")
	for _, g := range d.Grounds {
		out = append(out, oneLine(g, htmlNote))
	}
	return out
}
