package reports

import "slices"

// Size of the chart of states, in units of its view box.
const (
	chartWidth  = 720
	chartHeight = 160
	chartSteps  = 72
)

// htmlChart is how many payments were in which state over time, as stacked columns.
type htmlChart struct {
	States []htmlState
	Bars   []htmlBar
	End    string // the last time, in seconds
	Most   int    // payments at the top
}

// htmlState is one state in the legend, with what it came to at the end.
type htmlState struct {
	Name, Class string
	Last        int
}

type htmlBar struct {
	X, Y, W, H float64
	Class      string
	Text       string
}

func htmlChartOf(doc *Document) *htmlChart {
	c := courseOf(doc, chartSteps)
	if len(c.moments) == 0 {
		return nil
	}
	last := c.moments[len(c.moments)-1]
	chart := &htmlChart{End: instant(last.AtMS)}
	for _, m := range c.moments {
		sum := 0
		for _, n := range m.States {
			sum += max(n, 0)
		}
		chart.Most = max(chart.Most, sum)
	}
	for _, s := range head(c.states, 12) {
		chart.States = append(chart.States, htmlState{oneLine(s, 40), stateClass(s), last.States[s]})
	}
	for i, m := range c.moments {
		chart.column(c, i, m, last.AtMS)
	}
	return chart
}

// column stacks one moment, which lasts until the next; what has ended is at the bottom.
func (chart *htmlChart) column(c course, i int, m Moment, end float64) {
	x, next := 0.0, float64(chartWidth)
	if end > 0 {
		x = m.AtMS / end * (chartWidth - 8)
		if i+1 < len(c.moments) {
			next = c.moments[i+1].AtMS / end * (chartWidth - 8)
		}
	}
	y := float64(chartHeight)
	for _, state := range slices.Backward(head(c.states, 12)) {
		n := max(m.States[state], 0)
		if n == 0 || chart.Most == 0 {
			continue
		}
		h := float64(n) / float64(chart.Most) * chartHeight
		y -= h
		chart.Bars = append(chart.Bars, htmlBar{x, y, next - x, h, stateClass(state), instant(m.AtMS) + " s: " + oneLine(state, 40) + " " + count(n, "payment")})
	}
}

// stateClass is the colour of a state in the page's style.
func stateClass(state string) string {
	if i := slices.Index(statesOrder, state); i >= 0 {
		return "state-" + string(rune('a'+i))
	}
	return "state-other"
}
