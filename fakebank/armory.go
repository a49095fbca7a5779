package fakebank

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// maxBehaviours bounds the behaviours that one bank remembers, removed ones included.
const maxBehaviours = 10_000

// armory holds the behaviours in arming order. A removed behaviour keeps its counters, so that they can still be read.
type armory struct {
	clock Clock

	mu      sync.Mutex
	closed  bool
	made    int
	active  []*armed
	byID    map[string]*armed
	changed chan struct{} // closed, and replaced, whenever a counter changes
}

// armed is one behaviour. The counters are guarded by the armory's lock.
type armed struct {
	armory  *armory
	id      string
	name    string
	kind    *Kind
	effect  effect
	on      string
	nth     int
	count   int
	account string

	removed bool
	matched int           // requests that counted since it was armed
	fired   int           // how often it took effect
	holding int           // answers that it holds now
	gate    chan struct{} // closed, and replaced, to let go of what is held
}

// counters are a behaviour as the control API shows it.
type counters struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Name    string `json:"name,omitempty"`
	Armed   bool   `json:"armed"`
	Matched int    `json:"matched"`
	Fired   int    `json:"fired"`
	Holding int    `json:"holding"`
}

func newArmory(clock Clock) *armory {
	return &armory{clock: clock, byID: map[string]*armed{}, changed: make(chan struct{})}
}

func (s *armory) arm(c conditions, k *Kind, e effect) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errors.New("the bank is shutting down: nothing can be armed")
	}
	if len(s.byID) >= maxBehaviours {
		return "", fmt.Errorf("%d behaviours were armed: reset the bank before arming more", maxBehaviours)
	}
	s.made++
	a := &armed{armory: s, id: fmt.Sprintf("%s-%d", k.Name, s.made), name: c.Name, kind: k, effect: e,
		on: c.On, nth: c.Nth, count: c.Count, account: c.Account, gate: make(chan struct{})}
	s.byID[a.id] = a
	s.active = append(s.active, a)
	return a.id, nil
}

// match counts a request for every behaviour that it counts for, and gives the first that has its turn, or nil.
func (s *armory) match(c Call) *armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first *armed
	for _, a := range s.active {
		if !a.matches(c) {
			continue
		}
		a.matched++
		turn := a.matched - a.nth
		if first == nil && turn >= 0 && (a.count == 0 || turn < a.count) {
			first = a
		}
		s.changedLocked()
	}
	return first
}

func (s *armory) changedLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// look gives a behaviour's counters, and the channel that closes when any counter changes next.
func (s *armory) look(id string) (counters, <-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.byID[id]
	if !ok {
		return counters{}, nil, false
	}
	return counters{a.id, a.kind.Name, a.name, !a.removed, a.matched, a.fired, a.holding}, s.changed, true
}

// release lets go of what a behaviour holds now; it stays armed.
func (s *armory) release(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.byID[id]
	if ok {
		a.openLocked()
	}
	return ok
}

// remove ends a behaviour and lets go of what it holds.
func (s *armory) remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.byID[id]
	if ok && !a.removed {
		a.removed = true
		s.active = slices.DeleteFunc(s.active, func(b *armed) bool { return a == b })
		a.openLocked()
		s.changedLocked()
	}
	return ok
}

func (s *armory) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.byID {
		a.removed = true
		a.openLocked()
	}
	s.active, s.byID = nil, map[string]*armed{}
	s.changedLocked()
}

// close lets go of everything, for good.
func (s *armory) close() {
	s.reset()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}

func (s *armory) held() (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.byID {
		sum += a.holding
	}
	return sum
}

func (a *armed) openLocked() {
	close(a.gate)
	a.gate = make(chan struct{})
}

func (a *armed) fire() {
	a.armory.mu.Lock()
	defer a.armory.mu.Unlock()
	a.fired++
	a.armory.changedLocked()
}

// ending is how a wait of a held answer ended.
type ending int

const (
	released ending = iota // by the control API, or because the behaviour or the bank ended
	passed                 // by its own time or event
	gone                   // the caller went away
)

// park holds an answer until the behaviour is released or removed, the event happens (nil: never) or the caller goes.
// It counts the behaviour as fired, unless it was removed before anything was held.
func (a *armed) park(ctx context.Context, event <-chan time.Time) ending {
	a.armory.mu.Lock()
	if a.removed {
		a.armory.mu.Unlock()
		return released
	}
	a.fired++
	gate := a.holdLocked()
	a.armory.mu.Unlock()
	defer a.unhold()
	select {
	case <-gate:
		return released
	case <-event:
		return passed
	case <-ctx.Done():
		return gone
	}
}

func (a *armed) holdLocked() (gate <-chan struct{}) {
	a.holding++
	a.armory.changedLocked()
	return a.gate
}

func (a *armed) unhold() {
	a.armory.mu.Lock()
	defer a.armory.mu.Unlock()
	a.holding--
	a.armory.changedLocked()
}
