package checks

import (
	"time"

	"onedebit/scenarios/history"
)

// OneSuccessRow is I2, judged in every reading and not only at rest.
var OneSuccessRow = register(Check{
	Name:      "one-success-row",
	Invariant: "I2",
	Doc:       "In no reading of the service's books does a payment have more than one SUCCESS row.",
	Cause: "The service looks for a row and then inserts one, without a unique key on merchant and order number, or " +
		"keeps a row for each attempt and completes two.",
	judge: judgeOneSuccessRow,
})

func judgeOneSuccessRow(v *view) Result {
	if !v.target.Rows {
		return notApplicable(noRows)
	}
	var findings []Finding
	anyRow := false
	for _, s := range v.stories {
		anyRow = anyRow || len(s.seen) > 0
		at, rows := s.mostDoubled()
		if len(rows) < 2 {
			continue
		}
		var p proofs
		p.rows(at, rows...)
		findings = append(findings, Finding{s.order,
			"order " + s.order + " has " + counted(len(rows), "SUCCESS row") + " at the service, each of which says that it was paid", p.lines()})
	}
	if res := v.judged(findings, needReadings); res.Status != Pass || anyRow {
		return res
	}
	return inconclusive("no reading of the service's books shows a row of any payment")
}

// mostDoubled finds the reading that shows most rows that say that the payment succeeded; of several, the first. A row
// without an identity of its own cannot be taken for another listing of the same row, so each counts in its reading.
func (s *story) mostDoubled() (at time.Duration, doubled []*history.Row) {
	seen := s.seen
	for i := 0; i < len(seen); {
		first := seen[i]
		var rows []*history.Row
		ids := map[string]bool{}
		for ; i < len(seen) && seen[i].reading == first.reading; i++ {
			row := seen[i].row
			if !s.paidFor(row.State) || ids[row.ID] {
				continue
			}
			ids[row.ID] = row.ID != ""
			rows = append(rows, row)
		}
		if len(rows) > 1 && len(rows) > len(doubled) {
			at, doubled = first.at, rows
		}
	}
	return at, doubled
}
