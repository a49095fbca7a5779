package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	instants = 12 // rows of the table of states
	barCells = 16
)

// states is the table of how many payments were in which state: what to watch is not the share of success, but whether
// what is open gets less.
func (p *page) states() {
	c := courseOf(p.doc, instants)
	if len(c.moments) == 0 {
		return
	}
	p.printf("## Payments by state over time\n")
	p.printf("All trials laid over each other; time runs from the first row of each. Open are PENDING, PROCESSING and UNKNOWN.\n")
	p.printf(timesBegin)
	cells := []string{"time (s)"}
	shown := c.states[:min(len(c.states), 12)]
	for _, s := range shown {
		cells = append(cells, p.prose(s, 20))
	}
	p.header(append(cells, "open")...)
	for _, m := range c.moments {
		open, all := 0, 0
		cells := []string{instant(m.AtMS)}
		for _, s := range shown {
			n := m.States[s]
			cells = append(cells, strconv.Itoa(n))
			if slices.Contains(openStates, s) {
				open += n
			}
			all += n
		}
		p.row(append(cells, bar(open, all))...)
	}
	p.printf("\n" + timesEnd)
}

// bar draws a share with characters, since a report is read raw as well.
func bar(part, whole int) string {
	if whole <= 0 {
		return ""
	}
	full := (part*barCells + whole/2) / whole
	if part > 0 {
		full = max(full, 1)
	}
	full = min(max(full, 0), barCells)
	return fmt.Sprintf("%s%s %d %%", strings.Repeat("█", full), strings.Repeat("░", barCells-full), 100*part/whole)
}
