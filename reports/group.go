package reports

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// group is one scenario with all its trials.
type group struct {
	family, name, title string
	trials              []*Scenario
	verdict             Verdict
	worst               *Scenario // the trial to tell of: the first of the gravest
}

// groups sorts scenarios by family and name, trials by number, so that the order in which they ended does not show.
func groups(doc *Document) []*group {
	by := map[[2]string]*group{}
	var all []*group
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		key := [2]string{family(s), s.Name}
		g := by[key]
		if g == nil {
			g = &group{family: key[0], name: s.Name, title: s.Title}
			by[key] = g
			all = append(all, g)
		}
		g.trials = append(g.trials, s)
		g.verdict = Worst(g.verdict, s.Verdict)
	}
	for _, g := range all {
		slices.SortStableFunc(g.trials, func(a, b *Scenario) int { return cmp.Compare(a.Trial, b.Trial) })
		g.worst = slices.MinFunc(g.trials, gravest)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(strings.Compare(a.family, b.family), strings.Compare(a.name, b.name))
	})
	return all
}

func family(s *Scenario) string {
	if s.Family == "" {
		return "other"
	}
	return s.Family
}

// of keeps the groups of one verdict.
func of(all []*group, v Verdict) []*group {
	var kept []*group
	for _, g := range all {
		if g.verdict == v {
			kept = append(kept, g)
		}
	}
	return kept
}

// failures are the failed groups, gravest first.
func failures(all []*group) []*group {
	kept := of(all, Fail)
	slices.SortStableFunc(kept, func(a, b *group) int { return gravest(a.worst, b.worst) })
	return kept
}

// gravest orders scenarios: verdict, then the invariant broken (I1, a double debit, before I15), then the number of findings.
func gravest(a, b *Scenario) int {
	return cmp.Or(
		cmp.Compare(rank[b.Verdict], rank[a.Verdict]),
		cmp.Compare(gravity(a), gravity(b)),
		cmp.Compare(findings(b), findings(a)),
	)
}

func gravity(s *Scenario) int {
	least := math.MaxInt
	for _, c := range broken(s) {
		least = min(least, invariant(c))
	}
	return least
}

func invariant(c Check) int {
	n, err := strconv.Atoi(strings.TrimPrefix(c.Invariant, "I"))
	if err != nil {
		return math.MaxInt
	}
	return n
}

// broken lists the checks that failed, gravest first.
func broken(s *Scenario) []Check {
	var bad []Check
	for _, c := range s.Checks {
		if c.Verdict == Fail {
			bad = append(bad, c)
		}
	}
	slices.SortStableFunc(bad, func(a, b Check) int { return cmp.Compare(invariant(a), invariant(b)) })
	return bad
}

func findings(s *Scenario) int {
	n := 0
	for _, c := range broken(s) {
		n += len(c.Findings)
	}
	return n
}

// contradictions are the messages of all findings, gravest check first; the reason where no check has any.
func contradictions(s *Scenario) []string {
	var all []string
	for _, c := range broken(s) {
		for _, f := range c.Findings {
			all = append(all, f.Message)
		}
		if len(c.Findings) == 0 && c.Reason != "" {
			all = append(all, c.Reason)
		}
	}
	if len(all) == 0 {
		all = append(all, cmp.Or(s.Reason, "the outcome was not the one expected"))
	}
	return all
}

// trials are those of all groups, in their order.
func trials(all []*group) []*Scenario {
	var list []*Scenario
	for _, g := range all {
		list = append(list, g.trials...)
	}
	return list
}

// spoilt counts the trials that the environment ended.
func spoilt(doc *Document) int {
	n := 0
	for _, s := range doc.Scenarios {
		if s.Environment {
			n++
		}
	}
	return n
}

// with counts the trials of one verdict.
func (g *group) with(v Verdict) int {
	n := 0
	for _, s := range g.trials {
		if s.Verdict == v {
			n++
		}
	}
	return n
}

// fired counts how often faults of scenarios were armed, and how many of these were felt. One that need not be felt does
// not count: whether it is may be another thing in each run.
func fired(trials []*Scenario) (armed, felt int) {
	for _, s := range trials {
		for _, f := range s.Faults {
			if f.Optional {
				continue
			}
			armed += f.Armed
			felt += min(f.Fired, f.Armed)
		}
	}
	return armed, felt
}

// perhaps counts how often each fault was felt that need not be, by its name.
func perhaps(trials []*Scenario) map[string]int {
	out := map[string]int{}
	for _, s := range trials {
		for _, f := range s.Faults {
			if f.Optional {
				out[f.Name] += f.Fired
			}
		}
	}
	return out
}

// silent names the faults of a scenario that never fired.
func silent(s *Scenario) []Fault {
	var never []Fault
	for _, f := range s.Faults {
		if f.Fired == 0 && !f.Optional {
			never = append(never, f)
		}
	}
	return never
}

// why is the reason of a trial that is no pass and no failure, with the faults that were never felt.
func why(s *Scenario) string {
	var parts []string
	switch {
	case s.Environment:
		return "environment: " + s.Error
	case s.Error != "":
		return s.Error
	case s.Reason != "":
		parts = append(parts, s.Reason)
	}
	for _, c := range s.Checks {
		if c.Verdict == Inconclusive && c.Reason != "" && c.Reason != s.Reason {
			parts = append(parts, c.Name+": "+c.Reason)
		}
	}
	if s.Verdict == Inconclusive && !strings.Contains(strings.Join(parts, ""), "never fired") {
		for _, f := range silent(s) {
			parts = append(parts, "fault "+cmp.Or(f.Name, f.Kind)+" never fired")
		}
	}
	if len(parts) == 0 {
		return "no reason was given"
	}
	return strings.Join(parts, "; ")
}
