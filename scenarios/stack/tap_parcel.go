package stack

import (
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// How says in what way a connection, or one direction of it, ends.
type How string

// The ways to end.
const (
	Reset   How = "reset"   // both peers get a RST, also on a connection that has long been in use
	Fin     How = "fin"     // both peers get a FIN
	Silence How = "silence" // nothing more of that direction arrives; the connection stays open till a peer closes it
)

// parcel is one message under way, or a piece of bytes that is none.
type parcel struct {
	flow    *flow
	msg     wire.Message
	data    []byte
	instead []byte // what is handed on in place of data, where it is set
	arrived time.Time
	bare    bool // no message: passed on without being told or decided

	fate   string
	armed  *armedRule      // the rule that decided, or nil
	gate   <-chan struct{} // it goes on when this is closed …
	due    time.Time       // … or at this time, where it is set
	before func()
	after  func()
	end    How // what happens instead of, or after, the first keep bytes
	keep   int
	gone   int // bytes handed on already
	begun  bool
	sealed bool
}

// maxPiece is how much is handed on at a time, in bytes: Toxiproxy's writer takes so much at once and forgets the end of
// a longer piece when another one follows closely.
const maxPiece = 32 << 10

// ready tells whether nothing holds the parcel back any more.
func (p *parcel) ready(now time.Time) bool {
	if p.gate == nil && p.due.IsZero() {
		return true
	}
	open := false
	if p.gate != nil {
		select {
		case <-p.gate:
			open = true
		default:
		}
	}
	if open || !p.due.IsZero() && !now.Before(p.due) {
		p.gate, p.due = nil, time.Time{}
		return true
	}
	return false
}

// piece is what is to be handed on of it next.
func (p *parcel) piece() []byte {
	rest := p.content()[p.gone:p.stop()]
	return rest[:min(len(rest), maxPiece)]
}

// took counts the piece that was handed on, and tells whether it was the last.
func (p *parcel) took() bool {
	p.gone += len(p.piece())
	return p.gone == p.stop()
}

// stop is the place in data up to which it is handed on.
func (p *parcel) stop() int {
	if p.end != "" {
		return p.keep
	}
	return len(p.content())
}

// content is what is handed on of it in all.
func (p *parcel) content() []byte {
	if p.instead != nil {
		return p.instead
	}
	return p.data
}

// spare lets the parcel pass after all where the rule that meant to lose it has been removed meanwhile.
func (p *parcel) spare() {
	if p.end != "" && p.armed.isHealed() {
		p.end, p.fate, p.armed = "", history.Passed, nil
	}
}

// begin is called before anything of it is handed on. It counts and tells the message then, because the receiver may
// answer before the flow goes on.
func (p *parcel) begin() {
	if p.begun {
		return
	}
	p.begun = true
	if len(p.data) > 0 {
		p.flow.conn.tap.passed[dirIndex(p.flow.dir)].Add(1)
	}
	p.seal()
}

// seal tells the parcel's fate, once.
func (p *parcel) seal() {
	if p.sealed || p.bare {
		return
	}
	p.sealed = true
	s := Seen{
		Conn: p.flow.conn.number, Dir: p.flow.dir, Label: p.msg.Label, Text: p.msg.Text,
		Raw: p.data[:min(len(p.data), maxRaw)], Size: len(p.data), Fate: p.fate,
	}
	if p.flow.dir == history.Answer && p.msg.For != "" {
		s.Label = p.msg.For
	}
	if p.armed != nil {
		s.Fault = p.armed.rule.Fault
	}
	p.flow.conn.tap.tell(s)
}

// drop seals a parcel that will never be handed on. by names the fault that is to blame where no rule had decided.
func (p *parcel) drop(by *armedRule) {
	if p.armed != nil {
		p.armed.unhold(p)
	}
	if by != nil {
		p.armed = by
	}
	p.fate = history.Lost
	p.seal()
}
