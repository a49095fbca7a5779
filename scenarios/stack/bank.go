package stack

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Bank is the banks of an experiment as one: what is asked of the bank is asked of each of them, since a service may go to any.
type Bank struct{ each []*bankAPI }

// awaitTick is how often several banks are asked what they hold.
const awaitTick = 5 * time.Millisecond

// Arm puts a behaviour in force, at each bank; the id stands for all of it.
func (b *Bank) Arm(ctx context.Context, behaviour Behaviour) (id string, err error) {
	var ids []string
	for _, one := range b.each {
		id, err := one.Arm(ctx, behaviour)
		if err != nil {
			return "", errors.Join(err, b.Disarm(ctx, strings.Join(ids, idGlue)))
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, idGlue), nil
}

// idGlue joins the ids of one behaviour at several banks.
const idGlue = " "

// of does something with a behaviour at each bank that has it.
func (b *Bank) of(id string, do func(one *bankAPI, id string) error) error {
	var errs []error
	for i, own := range strings.Fields(id) {
		errs = append(errs, do(b.each[i], own))
	}
	return errors.Join(errs...)
}

// Behaviour is the state of an armed behaviour, at all banks together.
func (b *Bank) Behaviour(ctx context.Context, id string) (out BehaviourState, err error) {
	out.ID = id
	err = b.of(id, func(one *bankAPI, id string) error {
		state, err := one.Behaviour(ctx, id)
		out.Matched, out.Fired, out.Holding = out.Matched+state.Matched, out.Fired+state.Fired, out.Holding+state.Holding
		return err
	})
	return out, err
}

// AwaitBehaviour waits until a behaviour has fired and holds so often, or for so long.
func (b *Bank) AwaitBehaviour(ctx context.Context, id string, fired, holding int, limit time.Duration) (out BehaviourState, err error) {
	if len(b.each) == 1 {
		return b.each[0].AwaitBehaviour(ctx, id, fired, holding, limit)
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	tick := time.NewTicker(awaitTick)
	defer tick.Stop()
	for {
		out, err = b.Behaviour(ctx, id)
		if err != nil || out.Fired >= fired && out.Holding >= holding {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-late.C:
			return out, nil
		case <-tick.C:
		}
	}
}

// Release lets go what a behaviour holds back; it stays armed.
func (b *Bank) Release(ctx context.Context, id string) error {
	return b.of(id, func(one *bankAPI, id string) error { return one.Release(ctx, id) })
}

// Disarm ends a behaviour and lets go what it holds back.
func (b *Bank) Disarm(ctx context.Context, id string) error {
	return b.of(id, func(one *bankAPI, id string) error { return one.Disarm(ctx, id) })
}

// Notify makes the bank of a trade number send notifications and waits until all were taken or given up.
func (b *Bank) Notify(ctx context.Context, c Callback) (Delivered, error) {
	one, trade, err := b.holding(c.TradeNo)
	if err != nil {
		return Delivered{}, err
	}
	c.TradeNo = trade
	return one.Notify(ctx, c)
}

// Settle finishes a debit that a bank has only accepted so far.
func (b *Bank) Settle(ctx context.Context, tradeNo, status string, callback bool) error {
	one, trade, err := b.holding(tradeNo)
	if err != nil {
		return err
	}
	return one.Settle(ctx, trade, status, callback)
}

// Set changes the banks' standing ways.
func (b *Bank) Set(ctx context.Context, s Settings) error {
	var errs []error
	for _, one := range b.each {
		errs = append(errs, one.Set(ctx, s))
	}
	return errors.Join(errs...)
}

// Status says what the banks still have to do.
func (b *Bank) Status(ctx context.Context) (out BankStatus, err error) {
	for _, one := range b.each {
		status, err := one.Status(ctx)
		if err != nil {
			return out, err
		}
		out.InFlight += status.InFlight
		out.Held += status.Held
		out.CallbacksPending += status.CallbacksPending
	}
	return out, nil
}

// tradeGlue stands between the name of one of several banks and a number of its own: two banks may use the same.
const tradeGlue = "/"

// numbered is a number of one bank as it stands in a history.
func (b *Bank) numbered(one *bankAPI, number string) string {
	if number == "" || len(b.each) == 1 {
		return number
	}
	return one.name + tradeGlue + number
}

// holding is the bank that a number of a history is of, and the number as that bank knows it. One that names no bank is
// the first's.
func (b *Bank) holding(number string) (*bankAPI, string, error) {
	if len(b.each) == 0 {
		return nil, "", errors.New("the target has no bank")
	}
	for _, one := range b.each {
		if rest, ok := strings.CutPrefix(number, one.name+tradeGlue); ok && len(b.each) > 1 {
			return one, rest, nil
		}
	}
	return b.each[0], number, nil
}

// control is the URL of the first one's control API; "" where there is none.
func (b *Bank) control() string {
	if len(b.each) == 0 {
		return ""
	}
	return b.each[0].control
}

func (b *Bank) close() {
	for _, one := range b.each {
		one.close()
	}
}
