package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// links are those that some runtime may have. One that is on this list and not in the runtime makes a scenario skipped; one
// that is not on the list is a mistake.
var links = []string{stack.BankLink, stack.CacheLink, stack.CallbackLink, stack.ClientLink, stack.DBLink, stack.QueueLink}

// neededName checks that a name is a link, or an ability of a runtime or a target.
func neededName(name string) error {
	valid := slices.Concat(links, slices.Sorted(maps.Keys(stack.Abilities)), targets.Abilities)
	if slices.Contains(valid, name) || targets.Known(name) {
		return nil
	}
	return errors.New(decode.UnknownName("link or ability", name, valid))
}

// Needed are the links and abilities that a scenario needs, in order.
func (s *Scenario) Needed() []string {
	out := slices.Clone(s.Needs)
	if s.Instances > 1 {
		out = append(out, stack.Instances)
	}
	fresh := map[string]int{}
	workload.Walk(s.Steps, func(step workload.Step) {
		if n, ok := step.Action.(workload.Needer); ok {
			out = append(out, n.Needs()...)
		}
		if k, ok := step.Action.(workload.Keyer); ok {
			of, keys := k.Fresh()
			if fresh[of] += keys; fresh[of] > 1 {
				out = append(out, targets.Ordered)
			}
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// schedule checks what no single step can know: each error is at the step that is wrong.
func (s *Scenario) schedule(f *decode.File) error {
	var named []string
	begun := map[string][]string{} // names by kind of thing
	given := map[string]workload.Step{}
	var first error
	workload.Walk(s.Steps, func(step workload.Step) {
		if first != nil {
			return
		}
		err := stepNeeds(step)
		err = errors.Join(err, restsOn(step, begun))
		if b, ok := step.Action.(workload.Beginner); ok {
			for _, thing := range b.Begins() {
				begun[thing.What] = append(begun[thing.What], thing.Name)
			}
		}
		if n, ok := step.Action.(workload.Namer); ok {
			name, byHand := n.Names()
			// A step within each stands there once and is carried out again.
			if other, twice := given[name]; byHand && twice && (other.Line != step.Line || other.Column != step.Column) {
				err = errors.Join(err, fmt.Errorf("as: two faults are called %q; give this one a name of its own", name))
			}
			if byHand {
				given[name] = step
			}
			named = append(named, name)
		}
		if c, ok := step.Action.(workload.Caller); ok && c.Calls() != "" && !slices.Contains(named, c.Calls()) {
			err = errors.Join(err, errors.New(decode.UnknownName("fault", c.Calls(), named)))
		}
		if i, ok := step.Action.(workload.OnInstance); ok && i.On() > max(1, s.Instances) {
			err = errors.Join(err, fmt.Errorf("instance: %d of %d; instances: at the top says how many there are", i.On(), max(1, s.Instances)))
		}
		if err != nil {
			first = misplaced(f.Name, step, err)
		}
	})
	if first != nil {
		return first
	}
	return s.expected(f, begun[workload.Payment])
}

// expected checks that what is said of payments is said of such as are made.
func (s *Scenario) expected(f *decode.File, paid []string) error {
	if s.Expect != nil && len(paid) == 0 {
		return f.Errorf(f.Key("expect"), "expect: no step makes a payment of which this could be held; add - pay: {}")
	}
	for _, label := range slices.Sorted(maps.Keys(s.ExpectOf)) {
		if !slices.Contains(paid, label) {
			return f.Unknown(f.Key("expect-of", label), "payment", label, paid)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(s.Payments)) {
		if !slices.Contains(paid, label) {
			return f.Unknown(f.Key("payments", label), "payment", label, paid)
		}
	}
	return nil
}

// restsOn checks that what a step rests on has begun with an earlier one.
func restsOn(step workload.Step, begun map[string][]string) error {
	r, ok := step.Action.(workload.Rester)
	if !ok {
		return nil
	}
	for _, thing := range r.RestsOn() {
		if known := begun[thing.What]; !slices.Contains(known, thing.Name) {
			slices.Sort(known)
			return errors.New(decode.UnknownName(thing.What, thing.Name, slices.Compact(known)) + "; " + thing.From)
		}
	}
	return nil
}

// misplaced is a mistake of a step, at its place.
func misplaced(file string, step workload.Step, err error) error {
	return &decode.Error{File: file, Line: step.Line, Column: step.Column, Msg: step.Kind + ": " + err.Error()}
}

func stepNeeds(step workload.Step) error {
	n, ok := step.Action.(workload.Needer)
	if !ok {
		return nil
	}
	for _, need := range n.Needs() {
		if err := neededName(need); err != nil {
			return err
		}
	}
	return nil
}
