package workload

import "context"

// Observe reads the service's books at this very point.
var Observe = register(Kind{
	Name:    "observe",
	Doc:     "takes one reading of the service's books at this very point; readings are also taken all the time",
	Example: "observe",
	New:     func() Action { return &observe{} },
})

type observe struct{}

func (s *observe) Do(ctx context.Context, e *Env) error {
	_, err := e.Observe(ctx)
	return err
}
