package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/history"
)

// FaultWasFelt is about the experiment and not about the service: a fault that nobody felt has shown nothing.
var FaultWasFelt = register(Check{
	Name:  "fault-was-felt",
	Doc:   "Every fault that was armed was felt at least once, unless the scenario says that it may not be.",
	Cause: "The service did not do what the fault waits for, for example it sent no second request.",
	judge: judgeFaultWasFelt,
})

func judgeFaultWasFelt(v *view) Result {
	faults := v.history.Faults()
	rank := map[string]int{history.Armed: 0, history.Fired: 1, history.Healed: 2}
	slices.SortStableFunc(faults, func(a, b history.At[history.Fault]) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(rank[a.V.State], rank[b.V.State]), cmp.Compare(a.V.Fired, b.V.Fired))
	})
	lives := livesOf(faults)
	for _, g := range v.gaps {
		if g.V.What == gapFaults || g.V.What == gapInterrupted {
			return inconclusive(g.V.What + " could not be observed: " + g.V.Why)
		}
	}
	if len(lives) == 0 {
		return notApplicable("the experiment has no fault")
	}
	var unfelt []string
	for _, l := range lives {
		if !l.felt && !l.optional {
			unfelt = append(unfelt, fmt.Sprintf("%s (%s)", l.name, l.text))
		}
	}
	if len(unfelt) > 0 {
		slices.Sort(unfelt)
		return inconclusive("never felt: " + listed(unfelt))
	}
	return Result{Status: Pass}
}

// life is one fault from arming to healing.
type life struct {
	name, text     string
	armed          time.Duration
	felt, optional bool
}

// livesOf follows every fault through the experiment. Faults of one name that do different things are different
// faults, and a fault that is armed again after it was healed has to be felt again.
func livesOf(faults []history.At[history.Fault]) []*life {
	type fault struct{ name, kind, text string }
	now := map[fault]*life{}
	var out []*life
	for _, f := range faults {
		key := fault{f.V.Name, f.V.Kind, f.V.Text}
		l := now[key]
		if l == nil {
			if f.V.State == history.Healed {
				continue
			}
			l = &life{name: cmp.Or(f.V.Name, f.V.Kind), text: cmp.Or(f.V.Text, f.V.Kind), armed: f.Time}
			now[key] = l
			out = append(out, l)
		}
		l.felt = l.felt || f.V.State == history.Fired || f.V.Fired > 0
		l.optional = l.optional || f.V.Optional
		if f.V.State == history.Healed {
			delete(now, key)
		}
	}
	return out
}
