package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// direction is a way on a link, or both ways where it is not given.
type direction string

// Validate checks the name.
func (d *direction) Validate() error {
	switch *d {
	case "", history.Request, history.Answer:
		return nil
	}
	return fmt.Errorf("direction: %s", decode.UnknownName("direction", string(*d), []string{history.Request, history.Answer}))
}

func (d direction) ways() []string {
	if d == "" {
		return []string{history.Request, history.Answer}
	}
	return []string{string(d)}
}

func (d direction) text() string {
	if d == "" {
		return "both ways"
	}
	return string(d) + "s only"
}

// Lossy is an armed fault that loses packets by the kernel, which counts them.
type Lossy interface {
	// Loss is the share of packets that is to be lost, and how many there were and were lost. They stay once it is healed.
	Loss(ctx context.Context) (history.Loss, error)
}

// packetsArmed is rules of the kernel in force, one for each direction, felt together.
type packetsArmed struct {
	asked float64
	rules []*stack.KernelArmed
}

func armPackets(ctx context.Context, env *Env, link string, ways []string, rule stack.KernelRule) (Armed, error) {
	if env.Stack.Kernel == nil {
		return nil, fmt.Errorf("arming fault %s: this stack has not %s: %s", env.Name, stack.Packets, stack.Abilities[stack.Packets])
	}
	kernel, err := env.Stack.Kernel(ctx)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	out := &packetsArmed{asked: rule.Asked()}
	for _, dir := range ways {
		armed, err := kernel.Arm(ctx, link, dir, rule)
		if err != nil {
			_ = out.Heal(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
		}
		out.rules = append(out.rules, armed)
	}
	return out, nil
}

func (p *packetsArmed) Loss(ctx context.Context) (history.Loss, error) {
	out := history.Loss{Asked: p.asked}
	for _, r := range p.rules {
		seen, lost, err := r.Counts(ctx)
		if err != nil {
			return out, err
		}
		out.Seen += seen
		out.Lost += lost
	}
	return out, nil
}

// Felt counts the packets that were lost.
func (p *packetsArmed) Felt(ctx context.Context) (fired, holding int, err error) {
	l, err := p.Loss(ctx)
	return l.Lost, 0, err
}

// packetsTick is how often the kernel of another process is asked for its counts.
const packetsTick = 20 * time.Millisecond

func (p *packetsArmed) Await(ctx context.Context, fired, holding int) error {
	err := awaitCounts(ctx, p, packetsTick, fired, holding)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Release does nothing: what is lost is lost.
func (p *packetsArmed) Release(context.Context) error { return nil }

func (p *packetsArmed) Heal(ctx context.Context) error {
	var errs []error
	for _, r := range p.rules {
		errs = append(errs, r.Remove(ctx))
	}
	return errors.Join(errs...)
}
