package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/history"
)

// Waiting for quiet. A bound below the floor is raised to it: at high speed on a busy machine the harness must not run
// out of wall time before the service has had its turn. Only a service that never comes to rest costs that much.
const (
	quietTick    = 15 * time.Millisecond
	settleFloor  = 20 * time.Second
	quietReading = 3 // equal readings at least
)

// stillness is what the harness sees at one look.
type stillness struct {
	print  string // equal prints: nothing has moved
	moving string // what is not done yet, in words; "" where all is
}

// look reads books, ledger and bank once.
func (x *experiment) look(ctx context.Context) (stillness, error) {
	reading, err := x.observe(ctx)
	if err != nil {
		return stillness{}, err
	}
	lines, err := x.stack.ReadLedger(ctx)
	if err != nil {
		return stillness{}, err
	}
	bank, err := x.stack.Bank.Status(ctx)
	if err != nil {
		return stillness{}, err
	}
	x.ledgerLines += lines
	var moving []string
	add := func(n int, what string) {
		if n > 0 {
			moving = append(moving, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(bank.InFlight, "requests at the bank")
	add(bank.CallbacksPending, "callbacks of the bank")
	add(reading.Waiting, "events not published")
	for _, state := range []string{history.StatePending, history.StateProcessing, history.StateUnknown} {
		add(countState(reading, state), "rows "+state)
	}
	add(refundsOpen(reading), "refunds under way")
	add(x.effectsMissing(reading), "benefits not granted yet")
	if len(moving) == 0 {
		add(x.unfinished(reading), "payments without a result")
	}
	return stillness{print: fmt.Sprint(x.ledgerLines, bank, reading), moving: strings.Join(moving, ", ")}, nil
}

func countState(r history.Reading, state string) (n int) {
	for _, row := range r.Rows {
		if row.State == state {
			n++
		}
	}
	return n
}

func refundsOpen(r history.Reading) (n int) {
	for _, row := range r.Refunds {
		if row.State != history.StateSuccess && row.State != history.StateFailed {
			n++
		}
	}
	return n
}

// effectsMissing counts benefits that a SUCCESS row or refund promises and that are not there yet.
func (x *experiment) effectsMissing(r history.Reading) (n int) {
	for _, refund := range r.Refunds {
		if refund.State != history.StateSuccess || refund.Kind == history.RefundOfSurplus {
			continue
		}
		for _, kind := range x.target.Promise.RefundEffects {
			if !slices.ContainsFunc(r.Effects, func(e history.Effect) bool {
				return e.ID == refund.RefundID && e.Kind == kind && e.Merchant == refund.Merchant
			}) {
				n++
			}
		}
	}
	for _, row := range r.Rows {
		if row.State != history.StateSuccess {
			continue
		}
		for _, kind := range x.target.Promise.Effects {
			if !slices.ContainsFunc(r.Effects, func(e history.Effect) bool {
				return e.Order == row.Order && e.Kind == kind && e.Merchant == row.Merchant
			}) {
				n++
			}
		}
	}
	return n
}

// settle waits until nothing is under way and everything has stood still for the target's time of quiet, past its longest
// timer. A service that does not come to rest within the bound is recorded as such: that is for the checks to judge.
func (x *experiment) settle(ctx context.Context, within time.Duration) error {
	if within == 0 {
		within = time.Duration(x.target.Settle.Within)
	}
	limit := max(x.stack.Scale(within), settleFloor)
	return x.rest(ctx, limit, x.stack.Scale(time.Duration(x.target.Settle.Quiet)))
}

// calm waits until nothing is under way.
func (x *experiment) calm(ctx context.Context) error {
	if err := x.rest(ctx, settleFloor, 0); err != nil {
		return err
	}
	if s, _ := x.recorder.History().Settled(); !s.OK {
		return fmt.Errorf("still under way after %s: %s", s.Waited.Round(time.Millisecond), s.Moving)
	}
	return nil
}

func (x *experiment) rest(ctx context.Context, limit, quiet time.Duration) error {
	began := x.recorder.Since()
	tick := time.NewTicker(quietTick)
	defer tick.Stop()
	var last stillness
	var since time.Duration
	equal := 0
	for {
		now := x.recorder.Since()
		s, err := x.look(ctx)
		if err != nil && ctx.Err() == nil && now-began < limit {
			s = stillness{moving: "books or ledger cannot be read: " + err.Error()}
		} else if err != nil {
			return errors.Join(fmt.Errorf("waiting for quiet: %w", err), x.settled(began, limit, last.moving))
		}
		if s != last || s.moving != "" {
			last, since, equal = s, now, 0
		}
		equal++
		if s.moving == "" && equal >= quietReading && now-since >= quiet {
			return x.settled(began, limit, "")
		}
		if now-began >= limit {
			return x.settled(began, limit, s.moving)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (x *experiment) settled(began, limit time.Duration, moving string) error {
	x.recorder.Add(history.Event{Settled: &history.Settled{
		OK: moving == "", Waited: x.recorder.Since() - began, Within: limit, Moving: moving,
	}})
	return nil
}
