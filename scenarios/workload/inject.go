package workload

import (
	"context"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
)

// Inject puts a fault in force until it is healed, at the latest when the steps are done.
var Inject = register(Kind{
	Name:    "fault",
	Doc:     "puts a fault in force, under a name where it is to be released, awaited or healed by a later step",
	Example: "fault: {lost-answer: {link: bank, message: debit}, as: lost}",
	New:     func() Action { return &inject{} },
})

type inject struct {
	kind     string
	as       string
	named    bool // as was given
	optional bool // not to be felt does not make the scenario inconclusive
	fault    faults.Fault
}

// DecodeNode reads one fault with its name.
func (s *inject) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return f.Errorf(n, "expected a fault such as lost-answer: {link: bank, message: debit}")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		switch kind, ok := faults.Named(key.Value); {
		case key.Value == "as":
			err = f.Decode(value, &s.as)
		case key.Value == "optional":
			err = f.Decode(value, &s.optional)
		case !ok:
			err = f.Unknown(key, "fault", key.Value, append(faults.Names(), "as", "optional"))
		case s.fault != nil:
			err = f.Errorf(key, "one fault step, two faults: %s and %s; begin a new list item with -", s.kind, key.Value)
		default:
			s.kind, s.fault = kind.Name, kind.New()
			err = f.Decode(value, s.fault)
		}
		if err != nil {
			return err
		}
	}
	if s.fault == nil {
		return f.Errorf(n, "a fault step needs a fault: %s", strings.Join(faults.Names(), ", "))
	}
	if s.named = s.as != ""; !s.named {
		s.as = s.kind
	}
	return nil
}

func (s *inject) Names() (string, bool) { return s.as, s.named }
func (s *inject) Injects() faults.Fault { return s.fault }
func (s *inject) Needs() []string       { return faults.Needs(s.fault) }

// RestsOn is the payment that the fault concerns.
func (s *inject) RestsOn() []Thing {
	if a, ok := s.fault.(faults.OfPayment); ok {
		return []Thing{aPayment(a.Payment())}
	}
	return nil
}

// MayMiss says whether the fault need not be felt.
func (s *inject) MayMiss() bool { return s.optional }

// On is the process that the fault concerns.
func (s *inject) On() int {
	if i, ok := s.fault.(OnInstance); ok {
		return i.On()
	}
	return 1
}

func (s *inject) Do(ctx context.Context, e *Env) error {
	return e.Arm(ctx, s.kind, s.as, s.fault, s.optional)
}

// faultName reads the name of a fault that another step has put in force.
func faultName(f *decode.File, n *yaml.Node, name *string) error {
	if err := f.Decode(n, name); err != nil {
		return err
	}
	if *name == "" {
		return f.Errorf(n, "say which fault: the name that it has by as:, or else its kind")
	}
	return nil
}
