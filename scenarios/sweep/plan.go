package sweep

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios"
	"onedebit/scenarios/stack"
)

// Experiment is one kind of fault at one point, or two of them, as a scenario.
type Experiment struct {
	Scenario *scenarios.Scenario
	At       []Place
	Fresh    bool // the client tries again under a new key
	weight   int
}

// Place is one kind of fault at a point.
type Place struct {
	Point int // place in the record's list
	Kind  string
}

// Unfit is a kind that does not fit a point, with the reason.
type Unfit struct {
	Place
	Why string
}

// Plan is the experiments of a record, the most telling first. The same record makes the same plan.
type Plan struct {
	Record      *Record
	Experiments []*Experiment
	Unfit       []Unfit
}

// NewPlan writes the experiments: each kind at each point, and with depth 2 behind them pairs of these.
func NewPlan(r *Record, depth int) (*Plan, error) {
	p := &Plan{Record: r}
	for i, point := range r.Points {
		for _, k := range Kinds() {
			if _, why := k.Write(point, r.Flow, "x"); why != "" {
				p.Unfit = append(p.Unfit, Unfit{Place{i, k.Name}, why})
				continue
			}
			if err := p.add(k.Weight, false, Place{i, k.Name}); err != nil {
				return nil, err
			}
			if r.Flow.Fresh != "" && k != Twice && beforeTheAnswer(point) {
				if err := p.add(k.Weight+5, true, Place{i, k.Name}); err != nil {
					return nil, err
				}
			}
		}
	}
	if depth > 1 {
		if err := p.pairs(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.Experiments, func(a, b *Experiment) int { return a.weight - b.weight })
	return p, nil
}

// beforeTheAnswer says whether a client still waits while the message is under way. Behind its answer it has no reason to
// try under a new key.
func beforeTheAnswer(p Point) bool { return p.Link != stack.CallbackLink && p.Link != stack.QueueLink }

// linkWeight lets kinds and links take turns: the most telling kinds on all links do not all come before a second kind on
// the most telling link.
const linkWeight = 15

// pairWeight puts pairs behind all single faults.
const pairWeight = 10_000

// second are the kinds that may come second: those that need no second step of their own while the first is under way.
var second = []*Kind{Lost, LostSilent, Cut}

// pairs adds pairs of faults, first those on the path of the debit: at the bank's messages.
func (p *Plan) pairs() error {
	points := p.Record.Points
	for i, a := range points {
		for k, b := range points {
			if i == k {
				continue
			}
			weight := pairWeight
			for _, point := range []Point{a, b} {
				if point.Link != stack.BankLink {
					weight += 1000
				}
			}
			for _, one := range []*Kind{Lost, LostSilent, KillBefore, KillAfter} {
				for _, two := range second {
					if err := p.add(weight+one.Weight+two.Weight, false, Place{i, one.Name}, Place{k, two.Name}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// add writes one experiment.
func (p *Plan) add(weight int, fresh bool, at ...Place) error {
	f := p.Record.Flow
	name, key := "sweep-"+f.Name, "the same key"
	setup, calm := slices.Clone(f.Setup), len(f.Setup) > 0
	var faults []string
	var scripts []Script
	for i, place := range at {
		point := p.Record.Points[place.Point]
		kind, _ := kinds.Named(place.Kind)
		s, _ := kind.Write(point, f, []string{"first", "second"}[i])
		scripts = append(scripts, s)
		weight += linkWeight * slices.Index(telling, point.Link)
		calm = calm || !beforeTheAnswer(point) || point.Link == stack.DBLink
		name += "-" + point.slug() + "-" + place.Kind
		faults = append(faults, fmt.Sprintf("%s at %s", place.Kind, point))
	}
	if calm { // what an earlier payment still sends must not be taken for this one's
		setup = append(setup, f.Calm)
	}
	if fresh {
		name, key = name+"-fresh", "a new key"
	}
	title := strings.Join(faults, "; ") + "; the client tries again under " + key
	s, err := scenario(name, title, f.Bank, append(setup, steps(f, fresh, scripts)...))
	if err != nil {
		return err
	}
	p.Experiments = append(p.Experiments, &Experiment{Scenario: s, At: at, Fresh: fresh, weight: weight})
	return nil
}

// steps are a flow under its faults. A client that tries again under its key does so when all is at rest: told that its
// payment is under way, it has reason to wait. One that takes a new key does not wait for anything.
func steps(f *Flow, fresh bool, scripts []Script) []string {
	drive, first := f.Drive, scripts[0]
	if fresh {
		drive = f.Hasty
	}
	if first.Drive != "" {
		drive = first.Drive
	}
	var out []string
	for i, s := range scripts {
		for _, step := range s.Arm {
			if i > 0 { // the first may keep the second from being met at all
				step = strings.TrimSuffix(step, "}") + ", optional: true}"
			}
			out = append(out, step)
		}
	}
	out = append(out, background(drive))
	switch {
	case fresh:
		return append(append(out, first.Then...), f.Fresh, "join")
	case first.Late:
		out = append(append(out, "join"), first.Then...)
	default:
		out = append(append(out, first.Then...), "join")
	}
	for _, s := range scripts[1:] {
		out = append(out, s.Then...)
	}
	return append(out, "settle: {}", f.Again)
}

func background(step string) string { return "{" + step + ", background: true}" }

// scenario reads what was written, so that what is carried out is what the file says.
func scenario(name, title, bank string, steps []string) (*scenarios.Scenario, error) {
	s, err := scenarios.Load(name+".yaml", []byte(written(name, title, bank, steps)))
	if err != nil {
		return nil, fmt.Errorf("writing experiment %s: %w", name, err)
	}
	return s, nil
}
