package stack

import (
	"fmt"
	"sync"
	"sync/atomic"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// maxRaw is how much of a message, in bytes, is shown to the one who records it.
const maxRaw = 4 << 10

// Seen is one message on a link, told when its fate is sealed: immediately before it is handed on, or when it is lost.
type Seen struct {
	Conn  int    `json:"conn"`            // connection on that link, from 1 in the order in which they were accepted
	Dir   string `json:"dir"`             // history.Request or history.Answer
	Label string `json:"label"`           // its kind; of an answer the kind of the request that it answers; "unread" for bytes of no message
	Text  string `json:"text"`            // one readable line, secrets masked
	Raw   []byte `json:"raw"`             // its first 4 KiB, not masked; must not be changed
	Size  int    `json:"size"`            // bytes
	Fate  string `json:"fate"`            // history.Passed, Lost, Held (and let go), Cut, Late
	Fault string `json:"fault,omitempty"` // the fault that decided the fate
}

// Tap sees every message on a link, records it, and carries out rules on messages by their position.
// Its methods may be used by many goroutines.
type Tap struct {
	link     string
	protocol *wire.Protocol

	recording sync.Mutex // held while a message is told, so that messages are told one after another
	record    func(Seen)

	mu    sync.Mutex
	rules []*armedRule

	passed [2]atomic.Int64 // messages handed on: requests, answers
	unread atomic.Int64
}

// NewTap makes a tap. record is called for one message at a time, in the order in which fates are sealed; messages wait
// for it, and it must not call the tap. It may be nil.
func NewTap(link string, protocol *wire.Protocol, record func(Seen)) *Tap {
	if record == nil {
		record = func(Seen) {}
	}
	return &Tap{link: link, protocol: protocol, record: record}
}

// Link is the name of the link that is tapped.
func (t *Tap) Link() string { return t.link }

// Passed is the number of messages of a direction that were handed on so far. Pieces of unread connections count too.
func (t *Tap) Passed(dir string) int { return int(t.passed[dirIndex(dir)].Load()) }

// Unread is the number of connections that are passed through unread, because they speak another protocol or sent a
// message of more than wire.MaxMessage bytes. No rule works on them any more.
func (t *Tap) Unread() int { return int(t.unread.Load()) }

// Arm puts a rule in force, as Link.Arm says.
func (t *Tap) Arm(rule Rule) (*armedRule, error) {
	if err := rule.Match.check(); err != nil {
		return nil, fmt.Errorf("arming fault %q on link %s: %w", rule.Fault, t.link, err)
	}
	if rule.Do == nil {
		return nil, fmt.Errorf("arming fault %q on link %s: no action given", rule.Fault, t.link)
	}
	a := &armedRule{
		tap: t, rule: rule, held: map[*parcel]struct{}{},
		gate: make(chan struct{}), healed: make(chan struct{}), changed: make(chan struct{}),
	}
	decide, err := rule.Do.start(a)
	if err != nil {
		return nil, fmt.Errorf("arming fault %q on link %s: %w", rule.Fault, t.link, err)
	}
	a.decide = decide
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = append(t.rules, a)
	return a, nil
}

// decide finds the rule for a message that has arrived, and lets it decide.
func (t *Tap) decide(p *parcel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var by *armedRule
	for _, a := range t.rules {
		if a.counts(p) && by == nil {
			by = a
		}
	}
	if by != nil {
		by.apply(p)
	}
}

func (t *Tap) forget(a *armedRule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.rules {
		if other == a {
			t.rules = append(t.rules[:i:i], t.rules[i+1:]...)
			return
		}
	}
}

func (t *Tap) tell(s Seen) {
	t.recording.Lock()
	defer t.recording.Unlock()
	t.record(s)
}

func dirIndex(dir string) int {
	if dir == history.Answer {
		return 1
	}
	return 0
}
