package stack

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

const (
	// closeGrace bounds how long bytes may wait for a peer that takes none while the other side has gone.
	closeGrace = time.Second
	// flushGrace bounds how long bytes that were handed on may take to leave a connection that is ending.
	flushGrace = 30 * time.Second
)

// tapConn is one connection on a link: two flows and what they share.
type tapConn struct {
	tap    *Tap
	number int
	ends   []end  // client and upstream
	done   func() // called when both flows have come to an end

	mu     sync.Mutex
	wire   wire.Conn
	live   int          // flows that have not come to an end
	killer *armedRule   // the rule that ended it
	refuse []*armedRule // the rules that had statements refused whose answers have not come, in order

	unread      chan struct{} // closed when it is passed through unread from now on
	left        chan struct{} // closed when one flow has closed its side
	over        chan struct{} // closed when both flows must end at once
	leftOnce    sync.Once
	overOnce    sync.Once
	unreadState bool
}

func (t *Tap) newConn(number int, done func(), ends ...end) *tapConn {
	return &tapConn{
		tap: t, number: number, ends: ends, done: done, wire: t.protocol.New(), live: 2,
		unread: make(chan struct{}), left: make(chan struct{}), over: make(chan struct{}),
	}
}

// read finds the first message in bytes of one direction. plain says that the connection is passed through unread.
func (c *tapConn) read(dir string, buf []byte) (m wire.Message, n int, plain bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unreadState {
		return m, 0, true
	}
	m, n, err := c.parse(dir, buf)
	if err == nil && (n > wire.MaxMessage || n == 0 && len(buf) > wire.MaxMessage) {
		err = wire.ErrTooLarge
	}
	if err != nil {
		c.unreadState = true
		close(c.unread)
		c.tap.unread.Add(1)
		c.tap.tell(Seen{
			Conn: c.number, Dir: dir, Label: "unread", Fate: history.Passed, Size: len(buf), Raw: buf[:min(len(buf), maxRaw)],
			Text: fmt.Sprintf("passed through unread from here on: %v", err),
		})
		return m, 0, true
	}
	return m, n, false
}

// parse asks the protocol. A mistake in our reading of it costs the reading of this connection, and nothing else.
func (c *tapConn) parse(dir string, buf []byte) (m wire.Message, n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading %s failed: %v", c.tap.protocol.Name, p)
		}
	}()
	if dir == history.Request {
		return c.wire.Request(buf)
	}
	return c.wire.Answer(buf)
}

// refusal has the request that was read last refused, in the name of a rule. It returns what the server gets instead.
func (c *tapConn) refusal(code string, by *armedRule) (toServer []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("refusing in %s failed: %v", c.tap.protocol.Name, p)
		}
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.wire.(wire.Refuser)
	if !ok || c.unreadState {
		return nil, errors.New("nothing can be refused on this connection")
	}
	if toServer, err = r.Refusal(code); err == nil {
		c.refuse = append(c.refuse, by)
	}
	return toServer, err
}

// refused is the rule to which the refusal that has just been read belongs.
func (c *tapConn) refused() *armedRule {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refuse) == 0 {
		return nil
	}
	by := c.refuse[0]
	c.refuse = c.refuse[1:]
	return by
}

// kill ends both directions of the connection. The bytes that were handed on before still arrive.
func (c *tapConn) kill(how How, by *armedRule) {
	c.overOnce.Do(func() {
		c.mu.Lock()
		c.killer = by
		c.mu.Unlock()
		for _, end := range c.ends {
			if how == Reset {
				_ = end.SetLinger(0) // close then sends RST instead of FIN
			}
		}
		c.bound()
		close(c.over)
	})
}

// abort ends the connection at once, with whatever is under way.
func (c *tapConn) abort() {
	c.overOnce.Do(func() { close(c.over) })
	for _, end := range c.ends {
		_ = end.Close()
	}
}

func (c *tapConn) killedBy() *armedRule {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killer
}

// leave says that one direction has closed its side.
func (c *tapConn) leave() { c.leftOnce.Do(func() { close(c.left) }) }

// finish says that one direction has come to its end.
func (c *tapConn) finish() {
	c.mu.Lock()
	c.live--
	last := c.live == 0
	c.mu.Unlock()
	if last {
		c.bound()
		c.done()
	}
}

// bound makes sure that a peer which takes nothing cannot keep the connection for ever.
func (c *tapConn) bound() {
	for _, end := range c.ends {
		_ = end.SetWriteDeadline(time.Now().Add(flushGrace))
	}
}
