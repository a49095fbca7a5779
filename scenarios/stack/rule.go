package stack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"unicode/utf8"

	"onedebit/scenarios/history"
)

// Rule is a disturbance of the messages of one link, chosen by what they are and by their position.
type Rule struct {
	Fault string // the name of the fault, told with every message that it touches
	Match Match
	Do    Action
}

// Match chooses messages. Positions are counted from the arming of the rule, over the messages that match all else.
type Match struct {
	Dir      string   `json:"dir"`                // history.Request or history.Answer
	Labels   []string `json:"labels,omitempty"`   // globs in the style of path.Match of which one fits the request's label; none and "*" match all
	Contains string   `json:"contains,omitempty"` // text that stands anywhere in the message; "" matches all
	Nth      int      `json:"nth,omitempty"`      // the first position chosen, from 1; 0 is 1
	Count    int      `json:"count,omitempty"`    // how many positions are chosen from there; 0 is all
}

// Action is what a rule does with a message: Lose, Cut, Hold, Delay, Barrier, Do, Refuse or Loss. It is plain data that can
// be written down as JSON, but for Do.
type Action interface {
	// start prepares the action for one arming. The function that it returns decides on one message; it is called
	// with the lock of a held.
	start(a *armedRule) (decide func(p *parcel), err error)
}

var errNoText = errors.New("it is no UTF-8")

func (m *Match) check() error {
	if m.Dir != history.Request && m.Dir != history.Answer {
		return fmt.Errorf("direction %q is neither %q nor %q", m.Dir, history.Request, history.Answer)
	}
	for _, pattern := range m.Labels {
		if _, err := path.Match(pattern, ""); err != nil || !utf8.ValidString(pattern) {
			return fmt.Errorf("label pattern %q: %w", pattern, cmp.Or(err, errNoText))
		}
	}
	if !utf8.ValidString(m.Contains) {
		return fmt.Errorf("contains %q: %w", m.Contains, errNoText)
	}
	if m.Nth < 0 || m.Count < 0 {
		return errors.New("nth and count must not be negative")
	}
	return nil
}

// fits tells whether a message is one of those over which positions are counted.
func (m *Match) fits(p *parcel) bool {
	label := p.msg.Label
	if p.flow.dir == history.Answer {
		label = p.msg.For
	}
	return p.flow.dir == m.Dir && m.named(label) && (m.Contains == "" || bytes.Contains(p.data, []byte(m.Contains)))
}

func (m *Match) named(label string) bool {
	return len(m.Labels) == 0 || slices.ContainsFunc(m.Labels, func(pattern string) bool {
		ok, _ := path.Match(pattern, label)
		return ok || pattern == "*"
	})
}

// armedRule is a rule in force on a tap of this process.
type armedRule struct {
	tap      *Tap
	rule     Rule
	decide   func(*parcel)
	position int // of the last message that matched; guarded by the tap's lock

	mu      sync.Mutex
	fired   int
	open    bool // holds nothing any more
	held    map[*parcel]struct{}
	gate    chan struct{} // closed to let go all that are held
	healed  chan struct{} // closed when the rule is removed
	changed chan struct{} // closed and replaced whenever fired or held changes
}

func (a *armedRule) Counts(context.Context) (fired, holding int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fired, len(a.held), nil
}

func (a *armedRule) Release(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.release()
	return nil
}

func (a *armedRule) Remove(context.Context) error {
	a.tap.forget(a)
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.healed:
	default:
		close(a.healed)
	}
	a.open = true
	a.release()
	return nil
}

func (a *armedRule) Wait(ctx context.Context, fired, holding int) error {
	for {
		a.mu.Lock()
		f, h, changed := a.fired, len(a.held), a.changed
		a.mu.Unlock()
		if f >= fired && h >= holding {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return waitedFor(a.rule.Fault, a.tap.link, f, h, ctx.Err())
		}
	}
}

// waitedFor says what was there when a wait ended in vain.
func waitedFor(fault, link string, fired, holding int, why error) error {
	return fmt.Errorf("waiting for fault %q on link %s, fired %d times and holding %d messages: %w", fault, link, fired, holding, why)
}

// counts counts a message where it matches, and tells whether its position is one of those chosen.
func (a *armedRule) counts(p *parcel) bool {
	if !a.rule.Match.fits(p) {
		return false
	}
	a.position++
	first := max(a.rule.Match.Nth, 1)
	return a.position >= first && (a.rule.Match.Count == 0 || a.position < first+a.rule.Match.Count)
}

func (a *armedRule) apply(p *parcel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.armed = a
	a.decide(p)
	a.notify()
}

// fire counts effects on messages.
func (a *armedRule) fire(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fired += n
	a.notify()
}

func (a *armedRule) isHealed() bool {
	select {
	case <-a.healed:
		return true
	default:
		return false
	}
}

// call runs a function beside the flow, which must stay ready to be interrupted. The channel is closed when it has ended.
func (a *armedRule) call(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	return done
}

// hold, release and notify are called with the lock held.
func (a *armedRule) hold(p *parcel) {
	p.gate, p.fate = a.gate, history.Held
	a.held[p] = struct{}{}
}

func (a *armedRule) release() {
	close(a.gate)
	a.gate = make(chan struct{})
	clear(a.held)
	a.notify()
}

func (a *armedRule) notify() {
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *armedRule) unhold(p *parcel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.held[p]; ok {
		delete(a.held, p)
		a.notify()
	}
}
