package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// Bounds in wall time of what must always end.
const (
	healWait    = 30 * time.Second
	observeWait = 10 * time.Second
	watchTick   = 25 * time.Millisecond
)

// experiment is one scenario carried out once, on a stack of its own.
type experiment struct {
	Job
	target  *targets.Target
	seed    uint64
	options *Options
	phase   func(string)

	recorder    *history.Recorder
	stack       *stack.Stack
	steps       *workload.Env
	ledgerLines int
	up          time.Duration

	reading chan history.Reading // the newest reading; a channel of one, so that readers take turns
}

// run carries the scenario out and returns what was observed. The error is trouble of the experiment, never a verdict;
// the history is there in any case.
func (x *experiment) run(ctx context.Context) (*history.History, error) {
	x.recorder = history.NewRecorder(x.options.Now)
	x.recorder.Add(history.Event{Plan: x.plan()})
	err := x.bringUp(ctx)
	defer func() { _ = x.stack.Down() }() // also where a panic passes
	if err == nil {
		err = x.observed(ctx)
	}
	// Processes are ended before the history is taken, so that their last words are in it.
	err = errors.Join(err, x.stack.Down())
	switch {
	case ctx.Err() != nil:
		x.gap(history.GapInterrupted, "the run was interrupted")
	case errors.Is(err, stack.ErrNotUp):
		x.gap(history.GapEnvironment, err.Error())
	case err != nil:
		x.gap(history.GapTrouble, err.Error())
	}
	return x.recorder.History(), err
}

// observed is the experiment from the first clean payment to the last reading, watched all the time.
func (x *experiment) observed(ctx context.Context) error {
	stop := x.watch(ctx)
	x.enter(history.PhaseProbe)
	err := x.steps.Setup(ctx)
	if err == nil {
		_, _ = x.observe(ctx) // how it stands before the first payment
		err = x.steps.Probe(ctx)
	}
	if err == nil {
		err = x.arrive(ctx)
	}
	if err == nil {
		x.enter(history.PhaseDrive)
		err = x.steps.Run(ctx, x.Scenario.Steps)
		err = errors.Join(err, x.steps.Join())
		if err != nil {
			x.gap("steps", err.Error())
		}
	} else if ctx.Err() == nil {
		err = errors.Join(stack.ErrNotUp, err)
	}
	x.enter(history.PhaseHeal)
	err = errors.Join(err, x.heal(ctx))
	if ctx.Err() == nil {
		x.enter(history.PhaseSettle)
		err = errors.Join(err, x.settle(ctx, 0))
	}
	stop()
	x.enter(history.PhaseObserve)
	x.observeLast(ctx, ctx.Err() == nil)
	return err
}

func (x *experiment) plan() *history.Plan {
	return &history.Plan{
		Version: history.Version, Scenario: x.Scenario.Name, Family: x.Scenario.Family, Title: x.Scenario.Title, Seed: x.seed, Trial: x.Trial,
		Speed: x.options.Speed, Runtime: x.options.Runtime.Name, Target: x.target.Describe(x.Mutant),
		Proves: x.Scenario.provable(x.target), Borrowed: x.Scenario.borrowed(x.target), Reproduce: x.options.reproduce(x.Job),
	}
}

func (x *experiment) enter(phase string) {
	x.recorder.Add(history.Event{Phase: &history.Phase{Name: phase}})
	x.phase(phase)
}

func (x *experiment) gap(what, why string) {
	x.recorder.Add(history.Event{Gap: &history.Gap{What: what, Why: why}})
}

func (x *experiment) bringUp(ctx context.Context) (err error) {
	x.enter(history.PhaseUp)
	began := x.recorder.Since()
	x.reading = make(chan history.Reading, 1)
	x.reading <- history.Reading{}
	bank := x.Scenario.Bank
	if x.Scenario.arrivesLater(x.target) {
		bank.Callbacks = nil
	}
	x.stack, err = x.options.site.Up(ctx, stack.Spec{
		Target: x.target, Mutant: x.Mutant, Speed: x.options.Speed, Bank: bank, Instances: x.Scenario.Instances,
		Needs: x.Scenario.Needed(), Whole: x.options.Whole,
		Rand: stream(x.seed, x.Scenario.Name, "bank"), Recorder: x.recorder,
	})
	x.up = x.recorder.Since() - began
	if err != nil {
		return fmt.Errorf("bringing the stack up: %w", err)
	}
	x.steps = &workload.Env{
		Stack: x.stack, Recorder: x.recorder, Spec: x.Scenario.Payment, Specs: x.Scenario.Payments, Expect: x.options.expect(x.Scenario),
		Stream:  func(name string) *rand.Rand { return stream(x.seed, x.Scenario.Name, name) },
		Observe: x.observe, Settle: x.settle, Calm: x.calm, Progress: x.phase,
	}
	x.stack.Rows.Alias = func(order, alias string) { x.stack.Joiner.Learn(order, alias) }
	x.steps.Init()
	return nil
}

// heal always runs, whatever happened before, and with a deadline of its own.
func (x *experiment) heal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healWait)
	defer cancel()
	return x.steps.HealAll(ctx)
}

// observe takes one reading, and puts it into the history where it differs from the one before.
func (x *experiment) observe(ctx context.Context) (history.Reading, error) {
	var last history.Reading
	select {
	case last = <-x.reading:
	case <-ctx.Done():
		return last, ctx.Err()
	}
	r, err := x.stack.Rows.Read(ctx)
	if err != nil {
		x.reading <- last
		return last, err
	}
	if !reflect.DeepEqual(r, last) {
		x.recorder.Add(history.Event{Reading: &r})
		x.ownDebits(&last, &r)
	}
	x.reading <- r
	return r, nil
}

// watch takes readings all the time, so that what comes and goes between two steps is seen too. A reading that fails is
// tried again; the last one, at rest, must not fail.
func (x *experiment) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchTick)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, _ = x.observe(ctx)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// observeLast reads ledger and books for the last time; at rest, unless nobody could wait for that. What cannot be read is
// a gap.
func (x *experiment) observeLast(ctx context.Context, rest bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), observeWait)
	defer cancel()
	if err := x.stack.ReadLedgerToEnd(ctx); err != nil {
		x.gap("ledger", err.Error())
	}
	r, err := x.stack.Rows.Read(ctx)
	if err != nil {
		x.gap("rows", err.Error())
		return
	}
	r.Final = rest
	last := <-x.reading
	x.recorder.Add(history.Event{Reading: &r})
	x.ownDebits(&last, &r)
	x.reading <- r
}
