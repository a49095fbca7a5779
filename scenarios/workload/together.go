package workload

import (
	"context"
	"errors"
	"sync"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Together carries steps out at the same time, released at one barrier.
var Together = register(Kind{
	Name:    "together",
	Doc:     "carries its steps out at the same time, released at one barrier, and waits for all",
	Example: "together: [{pay: {}}, {callback: {of: B}}]",
	New:     func() Action { return &together{} },
})

type together struct{ steps []Step }

// DecodeNode reads the steps.
func (s *together) DecodeNode(f *decode.File, n *yaml.Node) error { return f.Decode(n, &s.steps) }

// Validate checks that there is something to do.
func (s *together) Validate() error {
	if len(s.steps) == 0 {
		return errors.New("together needs steps, for example [{pay: {}}, {callback: {}}]")
	}
	return nil
}

func (s *together) Children() []Step { return s.steps }

func (s *together) Do(ctx context.Context, e *Env) error {
	gate := make(chan struct{})
	errs := make([]error, len(s.steps))
	var wait sync.WaitGroup
	for i := range s.steps {
		wait.Go(func() {
			<-gate
			errs[i] = e.Run(ctx, s.steps[i:i+1])
		})
	}
	close(gate)
	wait.Wait()
	return errors.Join(errs...)
}
