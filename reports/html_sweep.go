package reports

import (
	"cmp"
	"slices"
)

// sweepGrid sets the points of the payment against the kinds of fault. Where a cell stands for several experiments it shows
// each, is coloured as the worst of them, and leads to it; ids are those of the scenarios on the page, by name.
func sweepGrid(doc *Document, ids map[string]string) htmlGrid {
	s := doc.Sweep
	grid := htmlGrid{Title: "The sweep", Corner: "point", Note: oneLine(sweepLine(doc), htmlNote) +
		" One sign for each experiment: ✓ pass, ✗ fail, ? inconclusive, · not begun; – where the kind does not fit the point."}
	for _, k := range s.Kinds {
		grid.Columns = append(grid.Columns, oneLine(k.Name, htmlName))
	}
	results, cells := doc.results(), map[SweepPlace][]*Scenario{}
	for _, c := range s.Cells {
		if len(c.At) == 1 {
			cells[c.At[0]] = append(cells[c.At[0]], results[c.Scenario])
		}
	}
	for i, point := range s.Points[:min(len(s.Points), htmlScenarios)] {
		row := htmlGridRow{Name: oneLine(point.String(), htmlName), Family: oneLine(point.Link, htmlName), Verdict: string(Pass)}
		for _, k := range s.Kinds {
			cell, worst := sweepCellOf(cells[SweepPlace{i, k.Name}], k, ids)
			row.Cells, row.Verdict = append(row.Cells, cell), string(Worst(Verdict(row.Verdict), worst))
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// sweepCellOf is one cell, and the worst verdict in it.
func sweepCellOf(tried []*Scenario, k SweepKind, ids map[string]string) (htmlCell, Verdict) {
	if len(tried) == 0 {
		return htmlCell{Sign: "–", Text: oneLine(k.Name, htmlName) + ": does not fit here"}, Pass
	}
	var cell htmlCell
	worst := Pass
	for _, s := range tried {
		verdict := Inconclusive
		if s != nil && (s.Verdict != Pass || felt(s)) {
			verdict = s.Verdict
		}
		cell.Sign += cellSign(s)
		worst = Worst(worst, verdict)
	}
	cell.Class, cell.Text = string(worst), oneLine(cmp.Or(k.Doc, k.Name), htmlNote)
	if i := slices.IndexFunc(tried, func(s *Scenario) bool { return s != nil && s.Verdict == worst }); i >= 0 {
		cell.Link = ids[tried[i].Name]
	}
	return cell, worst
}
