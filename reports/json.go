package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// JSON is the document itself, and what Load reads back.
var JSON = register(Format{
	Name:   "json",
	File:   "result.json",
	Doc:    "the whole result, for machines and for rendering again",
	Render: renderJSON,
})

func renderJSON(w io.Writer, doc *Document) error {
	return writeJSON(w, withLists(doc))
}

// writeJSON is indented, keeps < > & readable, has the keys in the order of the struct, and ends with a newline.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode json: %w", err)
	}
	return nil
}

// withLists is a copy in which the lists that are always present are [] and never null, so that readers can loop
// over them without asking.
func withLists(doc *Document) *Document {
	d := *doc
	d.Scenarios = make([]Scenario, len(doc.Scenarios))
	for i, s := range doc.Scenarios {
		s.Faults, s.Checks = orEmpty(s.Faults), withFindings(s.Checks)
		s.Orders, s.Retold = withLines(s.Orders), withLines(s.Retold)
		s.States = slices.Clone(s.States)
		for j := range s.States {
			if s.States[j].States == nil {
				s.States[j].States = map[string]int{}
			}
		}
		d.Scenarios[i] = s
	}
	return &d
}

func withLines(orders []Order) []Order {
	out := slices.Clone(orders)
	for i := range out {
		o := &out[i]
		o.Ledger, o.Rows, o.Timeline = orEmpty(o.Ledger), orEmpty(o.Rows), orEmpty(o.Timeline)
	}
	return out
}

func withFindings(checks []Check) []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		findings := c.Findings
		c.Findings = make([]Finding, len(findings))
		for j, f := range findings {
			f.Evidence = orEmpty(f.Evidence)
			c.Findings[j] = f
		}
		out[i] = c
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
