package reports

import (
	"fmt"
	"slices"
)

// Sweep is what a run has enumerated: the points of one payment, and an experiment for each kind of fault at each. The
// verdicts are those of the document's scenarios; an experiment that has none was not begun.
type Sweep struct {
	Of       string          `json:"of"`
	Doc      string          `json:"doc"`
	Points   []SweepPoint    `json:"points"`
	Sequence []int           `json:"sequence"` // places in points, in the order in which a clean payment met them
	Kinds    []SweepKind     `json:"kinds"`
	Cells    []SweepCell     `json:"cells"`
	Unfit    []SweepUnfit    `json:"unfit,omitempty"`    // kinds that do not fit a point
	Left     []SweepLeft     `json:"left,omitempty"`     // messages that were seen and are no points
	Smallest []SweepSmallest `json:"smallest,omitempty"` // what remains of failures when all is dropped that they do not need
}

// SweepPoint is one message of the payment.
type SweepPoint struct {
	Link  string `json:"link"`
	From  string `json:"from"`
	To    string `json:"to"`
	Dir   string `json:"dir"`
	Name  string `json:"name"`
	Nth   int    `json:"nth"`
	Label string `json:"label"`
}

func (p SweepPoint) String() string {
	return fmt.Sprintf("%s→%s %s %d: %s", p.From, p.To, p.Dir, p.Nth, p.Label)
}

// SweepKind is one kind of fault.
type SweepKind struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// SweepPlace is a kind of fault at a point, which is a place in the list of points.
type SweepPlace struct {
	Point int    `json:"point"`
	Kind  string `json:"kind"`
}

// SweepCell is one experiment: a fault at one point, or a pair of them.
type SweepCell struct {
	Scenario string       `json:"scenario"`
	At       []SweepPlace `json:"at"`
	Fresh    bool         `json:"fresh,omitempty"` // the client tries again under a new key
}

// SweepUnfit is a kind that does not fit a point.
type SweepUnfit struct {
	Place SweepPlace `json:"place"`
	Why   string     `json:"why"`
}

// SweepLeft is a message that was seen and is no point.
type SweepLeft struct {
	Link  string `json:"link"`
	Label string `json:"label"`
	Times int    `json:"times"`
	Why   string `json:"why"`
}

// SweepSmallest is the least scenario that still fails as another did.
type SweepSmallest struct {
	Scenario string `json:"scenario"` // that was shrunk
	File     string `json:"file"`     // of the least one, relative to the result
	Check    string `json:"check"`    // that fails in both
	Trials   int    `json:"trials"`   // in which it failed, of as many
	Text     string `json:"text"`
}

// vouch finds what a renderer could not draw.
func (s *Sweep) vouch() error {
	outside := func(i int) bool { return i < 0 || i >= len(s.Points) }
	if i := slices.IndexFunc(s.Sequence, outside); i >= 0 {
		return fmt.Errorf("sweep: sequence[%d] is point %d of %d", i, s.Sequence[i], len(s.Points))
	}
	for i, c := range s.Cells {
		if slices.ContainsFunc(c.At, func(p SweepPlace) bool { return outside(p.Point) }) {
			return fmt.Errorf("sweep: cells[%d] %q is at a point that is not there", i, c.Scenario)
		}
	}
	return nil
}

// results are the outcomes of the sweep's experiments by scenario; with several trials the worst counts.
func (d *Document) results() map[string]*Scenario {
	out := map[string]*Scenario{}
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		if before := out[s.Name]; before == nil || Worst(s.Verdict, before.Verdict) != before.Verdict {
			out[s.Name] = s
		}
	}
	return out
}

// felt says whether every fault of an experiment was felt, also where it need not be. One without a fault has its two
// copies in place of it.
func felt(s *Scenario) bool {
	return !slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Fired == 0 })
}

// exercised counts the experiments that have shown something: those that ended, with every fault felt.
func (d *Document) exercised() (n int) {
	results := d.results()
	for _, c := range d.Sweep.Cells {
		if s := results[c.Scenario]; s != nil && (s.Verdict == Pass || s.Verdict == Fail) && felt(s) {
			n++
		}
	}
	return n
}

// sweepLine is a sweep in a sentence.
func sweepLine(d *Document) string {
	return fmt.Sprintf("Sweep of %s: %s, %d of %s exercised.", d.Sweep.Of, count(len(d.Sweep.Points), "point"), d.exercised(), count(len(d.Sweep.Cells), "experiment"))
}
