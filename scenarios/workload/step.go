// Package workload holds what happens in a scenario, one step kind a file: clients that pay, repeat and ask, bursts, the
// bank's callbacks, and the arming, releasing and healing of faults.
package workload

import (
	"context"
	"strings"

	"onedebit/scenarios/registry"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
)

// Action is what one step does, decoded from a scenario.
type Action interface {
	// Do carries the step out. An error ends the scenario without a verdict of its own: what the service does wrong is
	// recorded in the history, not returned.
	Do(ctx context.Context, env *Env) error
}

// Needer is an action that needs links of the stack, or abilities of the target or the runtime.
type Needer interface{ Needs() []string }

// Namer is an action that puts a fault in force under a name: one that the scenario has given, or else that of its kind.
type Namer interface {
	Names() (name string, given bool)
}

// Injector is an action that puts a fault in force.
type Injector interface{ Injects() faults.Fault }

// Worded is an action that says something else of a payment than the scenario does.
type Worded interface{ OtherChannel() string }

// Keyer is an action that submits a payment, named by its label, under so many new keys.
type Keyer interface {
	Fresh() (of string, keys int)
}

// Optional is an action that puts a fault in force which need not be felt.
type Optional interface{ MayMiss() bool }

// Waiter is an action that waits for a row to be in one of these states, and cannot do without.
type Waiter interface{ Awaits() []string }

// OnInstance is an action on one of the processes of the service, counted from 1.
type OnInstance interface{ On() int }

// Caller is an action that calls a fault by its name; "" for none.
type Caller interface{ Calls() string }

// Parent is an action that holds other steps.
type Parent interface{ Children() []Step }

// Kind is one kind of step.
type Kind struct {
	Name    string
	Doc     string
	Example string
	New     func() Action
}

var kinds = registry.New("step", func(k *Kind) string { return k.Name })

func register(k Kind) *Kind { return kinds.Add(k, k.Doc != "" && k.Example != "" && k.New != nil) }

// Kinds are the kinds of step, by name.
func Kinds() []*Kind { return kinds.All() }

// Names are the names of the kinds, in order.
func Names() []string { return kinds.Names() }

// Step is one step of a scenario, at its place in the file.
type Step struct {
	Kind       string
	Line       int
	Column     int
	Background bool // the next step begins at once; a join step, or the end of the steps, waits for it
	Action     Action
}

// DecodeNode reads a step: one key that names its kind, and background: true beside it where wanted.
func (s *Step) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode { // a step without parameters, such as "join"
		n = &yaml.Node{
			Kind: yaml.MappingNode, Line: n.Line, Column: n.Column,
			Content: []*yaml.Node{n, {Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}},
		}
	}
	if n.Kind != yaml.MappingNode {
		return f.Errorf(n, "expected a step such as pay: {}")
	}
	s.Line, s.Column = n.Line, n.Column
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Value == "background" {
			if err := f.Decode(value, &s.Background); err != nil {
				return err
			}
			continue
		}
		kind, ok := kinds.Named(key.Value)
		if !ok {
			return f.Unknown(key, "step", key.Value, append(Names(), "background"))
		}
		if s.Action != nil {
			return f.Errorf(key, "one step, two kinds: %s and %s; begin a new list item with -", s.Kind, key.Value)
		}
		s.Kind, s.Action = kind.Name, kind.New()
		if err := f.Decode(value, s.Action); err != nil {
			return err
		}
	}
	if s.Action == nil {
		return f.Errorf(n, "a step needs a kind: %s", strings.Join(Names(), ", "))
	}
	return nil
}

// Walk calls visit for the steps and all steps within them.
func Walk(steps []Step, visit func(Step)) {
	for _, s := range steps {
		visit(s)
		if p, ok := s.Action.(Parent); ok {
			Walk(p.Children(), visit)
		}
	}
}
