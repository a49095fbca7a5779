package workload

import "context"

// Join waits for the steps in the background.
var Join = register(Kind{
	Name:    "join",
	Doc:     "waits for the steps that were begun with background: true",
	Example: "join",
	New:     func() Action { return &join{} },
})

type join struct{}

func (s *join) Do(_ context.Context, e *Env) error { return e.Join() }
