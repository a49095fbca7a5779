package workload

import (
	"context"
	"errors"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// Clock lets the service find itself in a later time, as after a weekend: keys have expired, orders have grown old.
var Clock = register(Kind{
	Name:    "clock",
	Doc:     "the service is killed and started again in a later time; the cache goes along, the bank's clock stays",
	Example: "clock: {advance: 25h}",
	New:     func() Action { return &clock{} },
})

type clock struct {
	Advance decode.Duration `yaml:"advance"` // not divided by the speed
}

func (s *clock) Validate() error {
	if s.Advance <= 0 {
		return errors.New("advance: say by how much, for example 25h")
	}
	return nil
}

// Needs is that the clock of the service can be moved.
func (s *clock) Needs() []string { return []string{targets.Clock} }

func (s *clock) Do(ctx context.Context, e *Env) error {
	return e.Stack.MoveClock(ctx, time.Duration(s.Advance))
}
