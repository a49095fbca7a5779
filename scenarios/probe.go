package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// probePayments is how many clean payments a probe makes.
const probePayments = 3

// Probe brings the target up and makes clean payments; nothing is broken. It calls up when the service is ready, and returns
// what was observed, and what is wrong with each payment. The error is trouble that kept payments from being made.
func Probe(ctx context.Context, o Options, up func(*stack.Stack) error) (h *history.History, wrong []error, err error) {
	workdir, err := stack.NewWorkdir(o.Temp)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, workdir.Remove()) }()
	o.site, err = o.Runtime.Open(ctx, stack.Run{
		Servers: o.Servers, Images: o.Images, Self: o.Self, Env: o.Env, Workdir: workdir,
		Loopback: stack.NewLoopback(rand.New(rand.NewPCG(uint64(o.Now().UnixNano()), o.Seed))),
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, o.site.Close()) }()
	x := &experiment{
		Job: Job{Scenario: &Scenario{Name: "probe", Title: "Clean payments"}, Trial: 1}, target: o.Target, seed: o.Seed, options: &o, phase: func(string) {},
	}
	x.recorder = history.NewRecorder(o.Now)
	x.recorder.Add(history.Event{Plan: x.plan()})
	err = x.bringUp(ctx)
	if err == nil {
		err = up(x.stack)
	}
	if err == nil {
		wrong = x.clean(ctx)
	}
	if x.stack != nil {
		err = errors.Join(err, x.stack.Down())
	}
	if len(wrong) < probePayments && err == nil {
		err = fmt.Errorf("making clean payments: %w", context.Cause(ctx))
	}
	return x.recorder.History(), wrong, err
}

// clean makes clean payments, and reads for a last time when all is at rest.
func (x *experiment) clean(ctx context.Context) []error {
	stop := x.watch(ctx)
	x.enter(history.PhaseProbe)
	wrong := x.steps.Clean(ctx, probePayments)
	stop()
	x.enter(history.PhaseObserve)
	x.observeLast(ctx, ctx.Err() == nil)
	return wrong
}
