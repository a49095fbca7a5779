package reports

import (
	"fmt"
	"slices"
	"strings"
)

// Baseline is what a run makes of the failures of an earlier one, which are known and do not fail a pipeline again.
type Baseline struct {
	File   string    `json:"file"` // the earlier result
	New    []Failure `json:"new"`
	Known  []Failure `json:"known"`  // there before, and there now
	Fixed  []Failure `json:"fixed"`  // there before; the scenario was judged, and it is not there now
	Unseen []Failure `json:"unseen"` // there before; the scenario was not judged
}

// Against compares a result with an earlier one and keeps the comparison in it. The verdict stays what it is.
func Against(doc, before *Document, file string) {
	b := &Baseline{File: file, New: []Failure{}, Known: []Failure{}, Fixed: []Failure{}, Unseen: []Failure{}}
	now, then, seen := Failures(doc), Failures(before), covered(doc)
	for _, f := range now {
		if has(then, f) {
			b.Known = append(b.Known, f)
		} else {
			b.New = append(b.New, f)
		}
	}
	for _, f := range then {
		switch {
		case has(now, f):
		case seen[[2]string{f.Scenario, f.Mutant}] != "":
			b.Fixed = append(b.Fixed, f)
		default:
			b.Unseen = append(b.Unseen, f)
		}
	}
	doc.Baseline = b
}

// OnlyKnown tells whether every failure of a result is one that its baseline knows.
func (d *Document) OnlyKnown() bool { return d.Baseline != nil && len(d.Baseline.New) == 0 }

// knows tells whether all that a failed trial broke was broken in the baseline too: a pipeline that reads one test at a time
// is not to stop there again.
func (d *Document) knows(s *Scenario) bool {
	return d.Baseline != nil && s.Verdict == Fail &&
		!slices.ContainsFunc(d.Baseline.New, func(f Failure) bool { return f.Scenario == s.Name && f.Mutant == s.Mutant })
}

// asKnown is how a format that has no word for a known failure calls one that it must skip.
func (d *Document) asKnown(s *Scenario) string {
	return fmt.Sprintf("fails, as is known from %s: %s", d.Baseline.File, contradictions(s)[0])
}

// lists are the parts of the comparison under the words for them.
func (b *Baseline) lists() []change {
	return []change{
		{word: "new", sign: "✗", list: b.New}, {word: "known", sign: "·", list: b.Known},
		{word: "fixed", sign: "✓", list: b.Fixed}, {word: "known and not looked at", sign: "?", list: b.Unseen},
	}
}

// news are the groups that hold a failure which is not known, of all where there is no baseline.
func (d *Document) news(failed []*group) []*group {
	if d.Baseline == nil {
		return failed
	}
	return slices.DeleteFunc(slices.Clone(failed), func(g *group) bool { return d.knows(g.worst) })
}

// baseline tells in a few lines what is known already.
func (s *screen) baseline(b *Baseline) {
	if b == nil {
		return
	}
	for _, c := range b.lists()[1:] {
		if len(c.list) == 0 {
			continue
		}
		names := make([]string, len(c.list))
		for i, f := range c.list {
			names[i] = f.String()
		}
		for _, l := range s.wrap("  ", fmt.Sprintf("%s %d %s: %s", c.sign, len(names), c.word, strings.Join(names, ", ")), 2) {
			s.put(changeColours[c.sign], l)
		}
	}
}

// baseline lists what is new, known and fixed against the earlier run that was named.
func (p *page) baseline() {
	b := p.doc.Baseline
	if b == nil {
		return
	}
	p.printf("## Against the baseline\n")
	p.printf("Compared with %s: %d new, %d known, %d fixed, %d known and not looked at. Only what is new fails the run.", code(b.File, 200), len(b.New), len(b.Known), len(b.Fixed), len(b.Unseen))
	for _, c := range b.lists() {
		left := len(c.list) - p.listed
		c.list = c.list[:min(len(c.list), p.listed)]
		c.level = "###"
		c.markdown(p)
		p.further(left, "failure")
	}
	p.printf("")
}
