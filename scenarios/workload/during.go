package workload

import (
	"context"
	"errors"

	"onedebit/scenarios/faults"
)

// During carries steps out under a fault, which is healed behind them.
var During = register(Kind{
	Name:    "during",
	Doc:     "carries its steps out under a fault, and heals it behind them as soon as it was felt",
	Example: "during: {fault: {link-down: {link: cache}}, steps: [{pay: {}}]}",
	New:     func() Action { return &during{} },
})

type during struct {
	Fault inject `yaml:"fault"`
	Steps []Step `yaml:"steps"`
}

func (s *during) Validate() error {
	if s.Fault.fault == nil || len(s.Steps) == 0 {
		return errors.New("during needs a fault and steps")
	}
	return nil
}

func (s *during) Needs() []string       { return s.Fault.Needs() }
func (s *during) RestsOn() []Thing      { return s.Fault.RestsOn() }
func (s *during) Injects() faults.Fault { return s.Fault.fault }
func (s *during) On() int               { return s.Fault.On() }
func (s *during) Names() (string, bool) { return s.Fault.Names() }
func (s *during) Children() []Step      { return s.Steps }

func (s *during) Do(ctx context.Context, e *Env) error {
	if err := s.Fault.Do(ctx, e); err != nil {
		return err
	}
	err := e.Run(ctx, s.Steps)
	if ctx.Err() != nil {
		return errors.Join(err, ctx.Err()) // interrupted: the healing at the end has a deadline of its own
	}
	a, ferr := e.fault(s.Fault.as)
	if ferr == nil {
		ferr = e.healFelt(ctx, a)
	}
	return errors.Join(err, ferr)
}
