package fakebank

import (
	"fmt"
	"time"
)

type barrierParams struct {
	Copies int           `json:"copies"`
	Within time.Duration `json:"within"`
}

// barrier makes a race certain in a service of any language: each duplicate sees a bank that has acted on the others and
// answered none of them.
var barrier = register(Kind{Name: "barrier", Ops: everyOp,
	Doc: "acts, then holds the answers to one account until copies of them are held, and lets them go together; after " +
		"within (ns) it lets them go all the same, and has not fired"}, func(p barrierParams) (effect, error) {
	if p.Copies < 2 || p.Copies > 10_000 {
		return effect{}, fmt.Errorf("copies %d: use 2 to 10000", p.Copies)
	}
	if err := wait("within", p.Within); err != nil {
		return effect{}, err
	}
	gatherings := map[string]*gathering{}
	return effect{answer: func(x *exchange, a Answer) {
		x.afterwards(a, x.gather(gatherings, p))
	}}, nil
})

// gathering is the copies for one account that wait for the rest. It is guarded by the armory's lock.
type gathering struct {
	waiting int
	until   time.Time
	over    chan time.Time // closed when it is complete or its time has run out
}

func (x *exchange) gather(all map[string]*gathering, p barrierParams) ending {
	armory, account := x.armed.armory, x.request.Call.Account
	armory.mu.Lock()
	if x.armed.removed {
		armory.mu.Unlock()
		return released
	}
	now := armory.clock.Now()
	g := all[account]
	if g == nil {
		g = &gathering{until: now.Add(p.Within), over: make(chan time.Time)}
		all[account] = g
	}
	g.waiting++
	if g.waiting == p.Copies {
		delete(all, account)
		close(g.over)
		x.armed.fired++
		armory.changedLocked()
		armory.mu.Unlock()
		return passed
	}
	gate := x.armed.holdLocked()
	armory.mu.Unlock()
	defer x.armed.unhold()

	late, stop := armory.clock.Timer(g.until.Sub(now))
	defer stop()
	how := released
	select {
	case <-g.over:
		return passed
	case <-gate:
	case <-late:
		how = passed
	case <-x.r.Context().Done():
		how = gone
	}
	armory.mu.Lock()
	defer armory.mu.Unlock()
	if all[account] != g { // it ended in the same instant
		return how
	}
	if g.waiting--; g.waiting == 0 || how == passed {
		delete(all, account)
		close(g.over)
	}
	return how
}
