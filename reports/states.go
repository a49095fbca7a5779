package reports

import (
	"cmp"
	"maps"
	"slices"
)

// statesOrder is the order in which states are shown, from the beginning of a payment to its end.
var statesOrder = []string{"PENDING", "PROCESSING", "UNKNOWN", "FAILED", "CLOSED", "SUCCESS", "PARTLY_REFUNDED", "REFUNDED"}

// openStates are those in which a payment has not ended.
var openStates = []string{"PENDING", "PROCESSING", "UNKNOWN"}

// course is how many payments of all scenarios were in which state, at so many milliseconds after the first row of each.
type course struct {
	states  []string // columns, those that occur
	moments []Moment
}

// courseOf adds up the states of all trials, at n instants or, where nothing changed in between, at fewer.
func courseOf(doc *Document, n int) course {
	var c course
	end := 0.0
	seen := map[string]bool{}
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		for _, m := range s.States {
			end = max(end, m.AtMS-s.States[0].AtMS)
			for state, count := range m.States {
				seen[state] = seen[state] || count > 0
			}
		}
	}
	place := func(state string) int {
		if i := slices.Index(statesOrder, state); i >= 0 {
			return i
		}
		return len(statesOrder)
	}
	c.states = slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(place(a)-place(b), cmp.Compare(a, b)) })
	if len(c.states) == 0 || !(end >= 0) || n < 2 {
		return c
	}
	for i := range n {
		m := Moment{AtMS: end * float64(i) / float64(n-1)}
		m.States = statesAt(doc, m.AtMS)
		if i == 0 || i == n-1 || !maps.Equal(m.States, c.moments[len(c.moments)-1].States) {
			c.moments = append(c.moments, m)
		}
	}
	return c
}

// statesAt adds up what each trial was in, so long after its first row.
func statesAt(doc *Document, at float64) map[string]int {
	sum := map[string]int{}
	for i := range doc.Scenarios {
		list := doc.Scenarios[i].States
		for j := len(list) - 1; j >= 0; j-- {
			if list[j].AtMS-list[0].AtMS > at {
				continue
			}
			for state, count := range list[j].States {
				sum[state] += count
			}
			break
		}
	}
	return sum
}
