// Package faults holds the disturbances, one file each. A fault is armed on a running stack, counts how often it was
// felt, and is healed.
package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"onedebit/scenarios/registry"
	"onedebit/scenarios/stack"
)

// Env is what a fault needs to be armed.
type Env struct {
	Stack *stack.Stack
	Name  string // the fault's name in the scenario
	// Rand is a stream of chance of this fault alone: adding a fault to a scenario does not change another's.
	Rand *rand.Rand
	// Order is the order of the scenario's payment by label, for faults that concern one payment.
	Order func(label string) (string, error)
}

// Fault is a fault's parameters, decoded from a scenario.
type Fault interface {
	// Arm puts the fault in force. An error says why it cannot be.
	Arm(ctx context.Context, env *Env) (Armed, error)
	// Text says what the fault does, for somebody who reads the report.
	Text() string
	// Links are the links that the fault needs.
	Links() []string
}

// Abler is a fault that needs abilities of the runtime too.
type Abler interface{ Abilities() []string }

// OfPayment is a fault that concerns one payment, by its label.
type OfPayment interface{ Payment() string }

// Needs are the links and abilities that a fault needs.
func Needs(f Fault) []string {
	out := f.Links()
	if a, ok := f.(Abler); ok {
		out = append(slices.Clone(out), a.Abilities()...)
	}
	return out
}

// Armed is a fault in force.
type Armed interface {
	// Felt is how often the fault has been felt, and how much it holds back now.
	Felt(ctx context.Context) (fired, holding int, err error)
	// Await waits until the fault has been felt and holds back so often, or until ctx ends, which is no error.
	Await(ctx context.Context, fired, holding int) error
	// Release lets go what is held back; the fault stays in force where it can.
	Release(ctx context.Context) error
	// Heal ends the fault. It can be called twice.
	Heal(ctx context.Context) error
}

// Kind is one kind of fault.
type Kind struct {
	Name    string
	Doc     string
	Example string // how it is written in a scenario
	New     func() Fault
}

var kinds = registry.New("fault", func(k *Kind) string { return k.Name })

func register(k Kind) *Kind { return kinds.Add(k, k.Doc != "" && k.Example != "" && k.New != nil) }

// Kinds are the kinds of fault, by name.
func Kinds() []*Kind { return kinds.All() }

// Names are the names of the kinds, in order.
func Names() []string { return kinds.Names() }

// Named finds a kind by its name.
func Named(name string) (*Kind, bool) { return kinds.Named(name) }

// instant is a fault that happens once, when it is armed, and has nothing to heal.
type instant struct{ fired int }

func (i instant) Felt(context.Context) (int, int, error) { return i.fired, 0, nil }
func (i instant) Await(context.Context, int, int) error  { return nil }
func (i instant) Release(context.Context) error          { return nil }
func (i instant) Heal(context.Context) error             { return nil }

// lasting is a fault of a part, in force from the moment it is armed until it is undone.
type lasting struct {
	instant
	undo func(context.Context) error
	done bool
}

func (l *lasting) Heal(ctx context.Context) error {
	if l.done {
		return nil
	}
	if err := l.undo(ctx); err != nil {
		return err
	}
	l.done = true
	return nil
}

// bankArmed is a behaviour of the bank in force.
type bankArmed struct {
	bank *stack.Bank
	id   string
	last stack.BehaviourState
	done bool
}

// awaitSlice is how long one question to the bank waits for an event; the wait as a whole is bounded by its context.
const awaitSlice = 5 * time.Second

func armBank(ctx context.Context, env *Env, b stack.Behaviour) (Armed, error) {
	b.Name = env.Name
	id, err := env.Stack.Bank.Arm(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s at the bank: %w", env.Name, err)
	}
	return &bankArmed{bank: env.Stack.Bank, id: id}, nil
}

func (b *bankArmed) Felt(ctx context.Context) (fired, holding int, err error) {
	if b.done {
		return b.last.Fired, 0, nil
	}
	st, err := b.bank.Behaviour(ctx, b.id)
	return st.Fired, st.Holding, err
}

func (b *bankArmed) Await(ctx context.Context, fired, holding int) error {
	for ctx.Err() == nil {
		st, err := b.bank.AwaitBehaviour(ctx, b.id, fired, holding, awaitSlice)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if st.Fired >= fired && st.Holding >= holding {
			return nil
		}
	}
	return nil
}

func (b *bankArmed) Release(ctx context.Context) error { return b.bank.Release(ctx, b.id) }

// Heal takes the last count when the behaviour has ended: until then it may still be felt.
func (b *bankArmed) Heal(ctx context.Context) (err error) {
	if b.done {
		return nil
	}
	if err = b.bank.Disarm(ctx, b.id); err != nil {
		return err
	}
	b.done = true
	b.last, err = b.bank.Behaviour(ctx, b.id)
	return err
}

// tapArmed is rules of a link's tap in force, felt together.
type tapArmed []stack.Armed

func armTap(ctx context.Context, env *Env, link string, rules ...stack.Rule) (Armed, error) {
	l, err := env.Stack.Link(link)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	var out tapArmed
	for _, r := range rules {
		r.Fault = env.Name
		armed, err := l.Arm(ctx, r)
		if err != nil {
			_ = out.Heal(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
		}
		out = append(out, armed)
	}
	return out, nil
}

func (t tapArmed) Felt(ctx context.Context) (fired, holding int, err error) {
	for _, a := range t {
		f, h, err := a.Counts(ctx)
		if err != nil {
			return 0, 0, err
		}
		fired += f
		holding += h
	}
	return fired, holding, nil
}

func (t tapArmed) Await(ctx context.Context, fired, holding int) error {
	if len(t) > 1 {
		return awaitCounts(ctx, t, countsTick, fired, holding)
	}
	err := t[0].Wait(ctx, fired, holding)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// countsTick is how often counts are looked at that nobody tells of and that cost nothing to ask for.
const countsTick = 2 * time.Millisecond

// awaitCounts is Await for faults whose counts have to be asked for.
func awaitCounts(ctx context.Context, a Armed, every time.Duration, fired, holding int) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if f, h, err := a.Felt(ctx); err != nil || f >= fired && h >= holding {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (t tapArmed) Release(ctx context.Context) error {
	var errs []error
	for _, a := range t {
		errs = append(errs, a.Release(ctx))
	}
	return errors.Join(errs...)
}

func (t tapArmed) Heal(ctx context.Context) error {
	var errs []error
	for _, a := range t {
		errs = append(errs, a.Remove(ctx))
	}
	return errors.Join(errs...)
}
