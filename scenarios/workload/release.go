package workload

import (
	"context"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// LetGo lets go what a fault holds back.
var LetGo = register(Kind{
	Name:    "release",
	Doc:     "lets go what a hold, gather or bank-gather holds back",
	Example: "release: held",
	New:     func() Action { return new(release) },
})

type release struct{ name string }

// DecodeNode reads the fault's name.
func (s *release) DecodeNode(f *decode.File, n *yaml.Node) error { return faultName(f, n, &s.name) }

func (s *release) Calls() string { return s.name }

func (s *release) Do(ctx context.Context, e *Env) error {
	a, err := e.fault(s.name)
	if err != nil {
		return err
	}
	return a.Release(ctx)
}
