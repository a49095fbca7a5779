package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
)

// Await waits for something that can be observed. What never comes is no error but a gap: the steps that follow rest on it,
// and without it a scenario has not shown what it is there to show.
var Await = register(Kind{
	Name:    "await",
	Doc:     "waits until a fault was felt or holds something back, or until a payment's row is in a state; what never comes makes the scenario inconclusive, unless it is optional: within: bounds that",
	Example: "await: {fault: held, holding: 1}",
	New:     func() Action { return &await{} },
})

type await struct {
	Fault   string   `yaml:"fault"`
	Fired   int      `yaml:"fired"`
	Holding int      `yaml:"holding"`
	Row     []string `yaml:"row"` // states
	about   `yaml:",inline"`
	// Published waits beside row: until the service has no event left to publish.
	Published bool            `yaml:"published"`
	Optional  bool            `yaml:"optional"` // a correct service need not come there
	Within    decode.Duration `yaml:"within"`   // in real life; where not given, long enough on any machine
}

// awaitWait is the least that is waited for what must come, in wall time: it must not be given up because the machine is
// busy.
const awaitWait = 10 * time.Second

// rowTick is how often the rows are looked at, in wall time.
const rowTick = 2 * time.Millisecond

func (s *await) Validate() error {
	if (s.Fault == "") == (len(s.Row) == 0) {
		return errors.New("await needs either fault: or row: to wait for")
	}
	for _, state := range s.Row {
		if !slices.Contains(history.States, state) {
			return errors.New("row: " + decode.UnknownName("state", state, history.States))
		}
	}
	if s.Fired < 0 || s.Holding < 0 || s.Fault == "" && s.Fired+s.Holding > 0 {
		return errors.New("fired and holding count what a fault did: from 1, and beside fault: only")
	}
	if s.Published && len(s.Row) == 0 {
		return errors.New("published: goes with row:, the state that the events tell of")
	}
	if s.Fault != "" && s.Fired == 0 && s.Holding == 0 {
		s.Fired = 1
	}
	return nil
}

func (s *await) Calls() string { return s.Fault }

// RestsOn is the payment whose row is waited for.
func (s *await) RestsOn() []Thing {
	if s.Fault != "" {
		return nil
	}
	return []Thing{aPayment(s.Of)}
}

// Awaits are the states of a row that must come.
func (s *await) Awaits() []string {
	if s.Optional {
		return nil
	}
	return s.Row
}

func (s *await) Do(ctx context.Context, e *Env) error {
	limit := e.Stack.Scale(time.Duration(s.Within))
	if s.Within == 0 || !s.Optional {
		limit = max(limit, awaitWait)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	look := s.row
	if s.Fault != "" {
		look = s.felt
	}
	instead, err := look(wait, ctx, e)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	if instead != "" && !s.Optional {
		e.Recorder.Add(history.Event{Gap: &history.Gap{
			What: history.GapAwaited, Why: fmt.Sprintf("%s did not come within %s; %s", s.text(), limit, instead),
		}})
	}
	return nil
}

// text is what is waited for, in words.
func (s *await) text() string {
	switch {
	case s.Fault != "" && s.Holding > 0:
		return fmt.Sprintf("fault %s holding back %d", s.Fault, s.Holding)
	case s.Fault != "":
		return fmt.Sprintf("fault %s felt %d times", s.Fault, s.Fired)
	case s.Published:
		return fmt.Sprintf("payment %s in %s with its events published", labelled(s.Of), strings.Join(s.Row, " or "))
	}
	return fmt.Sprintf("payment %s in %s", labelled(s.Of), strings.Join(s.Row, " or "))
}

// felt waits for a fault. It says what was there instead, or nothing where all came; that is looked at in ctx, which is
// longer than the wait.
func (s *await) felt(wait, ctx context.Context, e *Env) (instead string, err error) {
	a, err := e.fault(s.Fault)
	if err != nil {
		return "", err
	}
	if err := a.Await(wait, s.Fired, s.Holding); err != nil || ctx.Err() != nil {
		return "", err
	}
	fired, holding, err := a.Felt(ctx)
	if err != nil || fired >= s.Fired && (holding >= s.Holding || wait.Err() == nil) { // what was held then may be gone by now
		return "", err
	}
	return fmt.Sprintf("it was felt %d times and held back %d", fired, holding), nil
}

// row waits for a payment's row as felt does for a fault.
func (s *await) row(wait, ctx context.Context, e *Env) (instead string, err error) {
	p, err := e.known(s.Of)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(rowTick)
	defer tick.Stop()
	for instead = "the books were not read"; ; {
		r, err := e.Observe(wait)
		if wait.Err() != nil {
			return instead, nil
		}
		if err != nil {
			return "", err
		}
		if instead = s.others(r, p.Order); instead == "" {
			return "", nil
		}
		select {
		case <-wait.Done():
			return instead, nil
		case <-tick.C:
		}
	}
}

// others says what a reading has in the place of what is waited for, or nothing.
func (s *await) others(r history.Reading, order string) string {
	var states []string
	for _, row := range r.Rows {
		switch {
		case row.Order != order:
		case slices.Contains(s.Row, row.State) && s.Published && r.Waiting > 0:
			return fmt.Sprintf("it was %s, and %d events were not published", row.State, r.Waiting)
		case slices.Contains(s.Row, row.State):
			return ""
		default:
			states = append(states, row.State)
		}
	}
	if len(states) == 0 {
		return "there was no row"
	}
	return "it was " + strings.Join(states, ", ")
}
