package workload

import (
	"context"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Heal ends a fault before the steps are done.
var Heal = register(Kind{
	Name:    "heal",
	Doc:     "ends a fault by its name as soon as it was felt; what it held back is let go",
	Example: "heal: lost",
	New:     func() Action { return new(heal) },
})

type heal struct{ name string }

// DecodeNode reads the fault's name.
func (s *heal) DecodeNode(f *decode.File, n *yaml.Node) error { return faultName(f, n, &s.name) }

func (s *heal) Calls() string { return s.name }

func (s *heal) Do(ctx context.Context, e *Env) error {
	a, err := e.fault(s.name)
	if err != nil {
		return err
	}
	return e.healFelt(ctx, a)
}
