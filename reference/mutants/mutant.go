// Package mutants holds wrong payment services: the reference service with exactly one defence built as a developer
// would really, and wrongly, build it. A harness that lets one of them pass has a blind spot.
//
// Each mutant is one file that registers itself. It names the scenario whose faults make it go wrong every time, and
// the check that must see it.
package mutants

import (
	"maps"
	"slices"

	"onedebit/reference"
)

// Mutant is one wrong service.
type Mutant struct {
	Name     string
	Doc      string   // the one thing that is wrong
	Scenario string   // under which it goes wrong every time
	Check    string   // that must fail then
	Says     string   // what that check must say then: a part of its sentence that holds neither name nor number
	Sources  []string // where this was really built: addresses of reports, or "incident" for the write-ups behind the reference

	// Apply replaces parts of the correct service.
	Apply func(*reference.Parts)
}

var registry = map[string]Mutant{}

// register keeps a mutant; one without a name, or with the name of another, is a mistake in this package.
func register(m Mutant) Mutant {
	if m.Name == "" || m.Apply == nil {
		panic("mutants: a mutant without a name or without Apply")
	}
	if _, taken := registry[m.Name]; taken {
		panic("mutants: two mutants are named " + m.Name)
	}
	registry[m.Name] = m
	return m
}

// All returns every mutant, sorted by name.
func All() []Mutant {
	all := make([]Mutant, 0, len(registry))
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		m := registry[name]
		m.Sources = slices.Clone(m.Sources)
		all = append(all, m)
	}
	return all
}

// Named returns the mutant of this name, and whether there is one.
func Named(name string) (Mutant, bool) {
	m, ok := registry[name]
	m.Sources = slices.Clone(m.Sources)
	return m, ok
}
