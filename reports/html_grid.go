package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// htmlGrid is any matrix of verdicts: what was tried in rows and columns.
type htmlGrid struct {
	Title, Corner, Note string
	Columns             []string
	Rows                []htmlGridRow
}

type htmlGridRow struct {
	Name, Link, Verdict, Family string
	Cells                       []htmlCell
}

type htmlCell struct{ Class, Sign, Text, Link string }

// checkGrid sets the scenarios against the checks.
func checkGrid(shown []htmlScenario, all []*group) htmlGrid {
	grid := htmlGrid{Title: "Scenarios and checks", Corner: "scenario", Note: "Of each scenario the gravest trial."}
	for _, g := range all {
		for _, c := range g.worst.Checks {
			if name := oneLine(c.Name, htmlName); !slices.Contains(grid.Columns, name) && len(grid.Columns) < htmlTexts {
				grid.Columns = append(grid.Columns, name)
			}
		}
	}
	slices.Sort(grid.Columns)
	for i := range shown {
		s := &shown[i]
		row := htmlGridRow{Name: s.Name, Link: s.ID, Verdict: s.Verdict, Family: s.Family, Cells: make([]htmlCell, len(grid.Columns))}
		for _, c := range s.Checks {
			if at := slices.Index(grid.Columns, c.Name); at >= 0 {
				row.Cells[at] = htmlCell{Class: c.Verdict, Sign: c.Sign, Text: c.Name + ": " + c.Verdict}
			}
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// MatrixHTML writes the kill matrix as a page for a browser: the mutants with what killed each, and, where every mutant was
// tried on every scenario, all against all.
func MatrixHTML(w io.Writer, m *Matrix) error {
	word, sentence := m.verdict()
	p := newHTMLPage("onedebit: kill matrix: " + word)
	p.Class = string(Pass)
	if word != "ALL KILLED" {
		p.Class = string(Fail)
	}
	p.Outcome = oneLine(strings.ToUpper(sentence[:1])+sentence[1:]+".", htmlNote)
	if alarms := m.falseAlarms(); alarms != "" {
		p.Money = oneLine(strings.ToUpper(alarms[:1])+alarms[1:]+".", htmlNote)
	}
	p.Facts = [][2]string{{"runtime, speed, seed", fmt.Sprintf("%s, %s, %d", oneLine(m.Runtime, htmlName), times(m.Speed), m.Seed)},
		{"made by", oneLine(m.Tool.Name+" "+m.Tool.Version, htmlName)}, {"took", lasted(m.DurationMS)}}
	alive := 0
	ids := map[string]bool{}
	for i := range m.Rows {
		r := &m.Rows[i]
		if !r.dead() {
			alive++
		}
		p.Scenarios = append(p.Scenarios, htmlMutant(r, ids))
		if family := oneLine(r.Scenario, htmlName); !slices.Contains(p.Families, family) {
			p.Families = append(p.Families, family)
		}
	}
	slices.Sort(p.Families)
	slices.SortStableFunc(p.Scenarios, func(a, b htmlScenario) int { return strings.Compare(a.Verdict, b.Verdict) }) // survivors first
	p.Verdicts = []htmlCount{{string(Fail), "survived", alive}, {string(Pass), "killed", len(m.Rows) - alive}}
	if len(m.Columns) > 0 {
		p.Grids = append(p.Grids, m.grid())
	}
	for _, s := range m.Skipped {
		p.Gaps = append(p.Gaps, oneLine(s, htmlNote))
	}
	return p.write(w)
}

// htmlMutant is a mutant in the place of a scenario; alive is what a failure is there.
func htmlMutant(r *MatrixRow, ids map[string]bool) htmlScenario {
	out := htmlScenario{ID: htmlID(r.Mutant, ids), Family: oneLine(r.Scenario, htmlName), Name: oneLine(r.Mutant, htmlName), Title: oneLine(r.Doc, htmlNote),
		Verdict: string(Pass), Sign: r.fate(), Trials: fmt.Sprintf("%d of %s killed, %s", r.Kills, count(r.Trials, "trial"), r.interval()), Gist: oneLine(r.Says, htmlNote)}
	if !r.dead() {
		out.Verdict, out.Gist, out.Open = string(Fail), oneLine(r.why(), htmlNote), true
	}
	for _, by := range r.By {
		out.Checks = append(out.Checks, htmlCheck{Name: oneLine(by, htmlName), Verdict: string(Fail), Sign: sign(Fail)})
	}
	if len(r.Elsewhere) > 0 {
		out.Note = "Also killed by " + oneLine(enumerate(r.Elsewhere), 4*htmlNote) + "."
	}
	return out
}

// grid sets mutants against scenarios.
func (m *Matrix) grid() htmlGrid {
	grid := htmlGrid{Title: "Mutants and scenarios", Corner: "mutant"}
	for _, c := range m.Columns {
		grid.Columns = append(grid.Columns, oneLine(c.Scenario, htmlName))
	}
	ids := map[string]bool{}
	for i := range m.Rows {
		r := &m.Rows[i]
		row := htmlGridRow{Name: oneLine(r.Mutant, htmlName), Link: htmlID(r.Mutant, ids), Verdict: string(Pass), Family: oneLine(r.Scenario, htmlName)}
		if !r.dead() {
			row.Verdict = string(Fail)
		}
		for _, c := range m.Columns {
			var cell htmlCell
			switch {
			case slices.Contains(c.Kills, r.Mutant):
				cell = htmlCell{Class: string(Pass), Sign: "✗", Text: "killed by " + oneLine(c.Scenario, htmlName)}
			case c.Scenario == r.Scenario && !r.dead():
				cell = htmlCell{Class: string(Fail), Sign: "!", Text: "survived " + oneLine(c.Scenario, htmlName)}
			}
			row.Cells = append(row.Cells, cell)
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}
