package reports

import (
	"cmp"
	"slices"
	"strings"
)

// Failure is one invariant that a scenario broke. Two runs have the same failure where scenario, mutant and check are the same,
// whatever their seeds and however many trials broke it.
type Failure struct {
	Scenario string `json:"scenario"`
	Family   string `json:"family,omitempty"`
	Mutant   string `json:"mutant,omitempty"`
	Check    string `json:"check"`
	Says     string `json:"says,omitempty"` // the first contradiction
	Again    string `json:"again,omitempty"`
}

// String is "bank/bank-answer-lost: one-debit".
func (f Failure) String() string { return f.place() + ": " + f.Check }

func (f Failure) place() string {
	name := f.Scenario
	if f.Family != "" {
		name = f.Family + "/" + name
	}
	if f.Mutant != "" {
		name += " × " + f.Mutant
	}
	return name
}

// key is what two runs must agree in.
func (f Failure) key() [3]string { return [3]string{f.Scenario, f.Mutant, f.Check} }

// Failures are the failures of a result, each once, by family, scenario and check.
func Failures(doc *Document) []Failure {
	var out []Failure
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		if s.Verdict != Fail {
			continue
		}
		f := Failure{Scenario: s.Name, Family: s.Family, Mutant: s.Mutant, Again: s.Reproduce}
		bad := broken(s)
		for _, c := range bad {
			f.Check, f.Says = c.Name, c.Reason
			if len(c.Findings) > 0 {
				f.Says = c.Findings[0].Message
			}
			out = appendNew(out, f)
		}
		if len(bad) == 0 {
			f.Check, f.Says = "verdict", s.Reason
			out = appendNew(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Failure) int {
		return cmp.Or(strings.Compare(a.place(), b.place()), strings.Compare(a.Check, b.Check))
	})
	return out
}

func appendNew(list []Failure, f Failure) []Failure {
	if has(list, f) {
		return list
	}
	return append(list, f)
}

func has(list []Failure, f Failure) bool {
	return slices.ContainsFunc(list, func(o Failure) bool { return o.key() == f.key() })
}

// covered is what a run found out about each scenario: the worst verdict of its trials. What was skipped or could not be
// judged is not covered.
func covered(doc *Document) map[[2]string]Verdict {
	out := map[[2]string]Verdict{}
	for _, s := range doc.Scenarios {
		key := [2]string{s.Name, s.Mutant}
		out[key] = Worst(out[key], s.Verdict)
	}
	for key, v := range out {
		if v != Pass && v != Fail {
			delete(out, key)
		}
	}
	return out
}
