package workload

import (
	"context"
	"time"

	"onedebit/scenarios/decode"
)

// Wait lets time pass, for what is defined by time alone, such as a lock that expires.
var Wait = register(Kind{
	Name:    "wait",
	Doc:     "lets a real-life duration pass; wait for events with await instead",
	Example: "wait: 7s",
	New:     func() Action { return new(wait) },
})

type wait struct{ decode.Duration }

func (s *wait) Do(ctx context.Context, e *Env) error {
	return e.Stack.Wait(ctx, time.Duration(s.Duration))
}
