package stack

import (
	"slices"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// What a flow holds at most before it stops reading.
const (
	maxParcels = 1024
	maxQueued  = 4 << 20 // bytes
)

// flow is one direction of one connection. It belongs to the goroutine that runs it; an interruption ends that goroutine
// and the next one goes on with the same state.
type flow struct {
	conn *tapConn
	dir  string

	buf     []byte // bytes that form no message yet
	tail    *wire.Message
	queue   []*parcel
	queued  int // bytes in queue
	ended   bool
	closed  bool
	muted   bool // everything is swallowed
	mutedBy *armedRule
	grace   *time.Timer
}

// run carries messages until the flow ends or is interrupted. It never leaves a message behind: one that was not handed
// on when the interruption came is handed on by the next run.
func (f *flow) run(stub *toxics.ToxicStub) {
	for !f.closed {
		if !f.step(stub) {
			return
		}
	}
	stub.Close()
	f.conn.leave()
	for !f.ended {
		_, more := <-stub.Input
		f.ended = !more
	}
	f.conn.finish()
}

// step waits for one thing to happen and deals with it. It is false where the flow was interrupted.
func (f *flow) step(stub *toxics.ToxicStub) bool {
	head, ready := f.head()
	if f.closed {
		return true
	}
	var (
		input  = stub.Input
		output chan<- *stream.StreamChunk
		chunk  *stream.StreamChunk
		gate   <-chan struct{}
		left   <-chan struct{}
		unread <-chan struct{}
		timer  = stoppedTimer{}
	)
	if f.ended || f.queued >= maxQueued || len(f.queue) >= maxParcels {
		input = nil
	}
	if len(f.buf) > 0 {
		unread = f.conn.unread
	}
	switch {
	case ready:
		output = stub.Output
		// The time of arrival is now: a toxic that adds latency counts from it.
		chunk = &stream.StreamChunk{Data: head.piece(), Timestamp: time.Now()}
		if f.grace == nil {
			left = f.conn.left
		}
	case head != nil:
		gate = head.gate
		timer.until(head.due)
		defer timer.stop()
	}
	select {
	case <-stub.Interrupt:
		return false
	case <-f.conn.over:
		f.abandon()
	case c, more := <-input:
		f.receive(c, more)
	case output <- chunk:
		f.sent()
	case <-gate:
	case <-timer.c:
	case <-unread:
		f.parse()
	case <-left:
		f.grace = time.NewTimer(closeGrace)
	case <-f.graceOver():
		f.abandon()
	}
	return true
}

func (f *flow) graceOver() <-chan time.Time {
	if f.grace == nil {
		return nil
	}
	return f.grace.C
}

// head deals with all that can be settled without handing anything on, and says what is first in the queue then and
// whether it can be handed on.
func (f *flow) head() (p *parcel, ready bool) {
	for len(f.queue) > 0 {
		p := f.queue[0]
		switch {
		case f.muted:
			f.pop()
			p.drop(f.mutedBy)
			continue
		case !p.ready(time.Now()):
			return p, false
		case p.before != nil:
			p.gate = p.armed.call(p.before)
			p.before = nil
			continue
		}
		p.spare()
		if p.end != "" && p.keep == 0 {
			f.pop()
			f.finish(p)
			if f.closed {
				return nil, false
			}
			continue
		}
		p.begin()
		return p, true
	}
	f.closed = f.closed || f.ended
	return nil, false
}

// receive takes bytes, or the end of them.
func (f *flow) receive(c *stream.StreamChunk, more bool) {
	if more {
		if len(f.buf) == 0 {
			f.buf = c.Data[:len(c.Data):len(c.Data)]
		} else {
			f.buf = append(f.buf, c.Data...)
		}
		f.parse()
		return
	}
	f.ended = true
	if len(f.buf) == 0 {
		return
	}
	p := &parcel{bare: true}
	if f.tail != nil {
		p = &parcel{msg: *f.tail}
	}
	f.enqueue(p, f.buf)
	f.buf = nil
}

// parse takes the complete messages out of the bytes that have arrived.
func (f *flow) parse() {
	for len(f.buf) > 0 {
		m, n, plain := f.conn.read(f.dir, f.buf)
		f.tail = nil
		switch {
		case plain:
			f.enqueue(&parcel{bare: true}, f.buf)
			f.buf = nil
		case m.Close:
			f.tail = &m
			return
		case n == 0:
			return
		default:
			data := f.buf[:n:n]
			f.buf = f.buf[n:]
			f.take(m, data)
		}
	}
}

// take puts a message in the queue. The refusal of a statement stands in the place of the answer, in the name of the
// rule that wanted it.
func (f *flow) take(m wire.Message, data []byte) {
	p := &parcel{msg: m}
	if m.Instead != nil {
		data = m.Instead
		if p.armed = f.conn.refused(); p.armed != nil {
			p.armed.fire(1)
		}
	}
	f.enqueue(p, data)
}

// enqueue puts a parcel in the queue, with its fate decided as far as it can be.
func (f *flow) enqueue(p *parcel, data []byte) {
	p.flow, p.data, p.arrived, p.fate = f, data, time.Now(), history.Passed
	if !p.bare && !p.msg.Aside && !f.muted {
		f.conn.tap.decide(p)
	}
	f.queue = append(f.queue, p)
	f.queued += len(data)
}

func (f *flow) pop() {
	f.queued -= len(f.queue[0].data)
	f.queue[0] = nil
	f.queue = f.queue[1:]
}

// sent goes on after a piece of the first parcel was handed on.
func (f *flow) sent() {
	if f.grace != nil {
		f.grace.Stop()
		f.grace = nil
	}
	p := f.queue[0]
	if !p.took() {
		return
	}
	f.pop()
	switch {
	case p.end != "":
		f.finish(p)
	case p.after != nil && p.bare:
		f.queue = slices.Insert(f.queue, 0, f.blank(p.armed, p.armed.call(p.after), nil))
	case p.after != nil:
		// The writer takes the next piece, if only of no bytes, when it has written the one before.
		f.queue = slices.Insert(f.queue, 0, f.blank(p.armed, nil, p.after))
	}
}

// blank is a parcel of no bytes: what it waits for, or does after itself, is all there is to it.
func (f *flow) blank(by *armedRule, gate <-chan struct{}, after func()) *parcel {
	return &parcel{flow: f, bare: true, armed: by, data: []byte{}, gate: gate, after: after}
}

// finish ends the direction or the connection in the way that the rule of a parcel wants.
func (f *flow) finish(p *parcel) {
	p.armed.fire(1)
	p.seal()
	if p.end == Silence {
		f.muted, f.mutedBy = true, p.armed
		return
	}
	f.conn.kill(p.end, p.armed)
	f.abandon()
}

// abandon gives up all that was not handed on.
func (f *flow) abandon() {
	by := f.conn.killedBy()
	for len(f.queue) > 0 {
		p := f.queue[0]
		f.pop()
		p.drop(by)
	}
	f.closed = true
}

// stoppedTimer is a timer that need not run.
type stoppedTimer struct {
	c <-chan time.Time
	t *time.Timer
}

func (s *stoppedTimer) until(due time.Time) {
	if !due.IsZero() {
		s.t = time.NewTimer(time.Until(due))
		s.c = s.t.C
	}
}

func (s *stoppedTimer) stop() {
	if s.t != nil {
		s.t.Stop()
	}
}
