package workload

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// Burst submits copies of one payment at the same instant.
var Burst = register(Kind{
	Name:    "burst",
	Doc:     "copies of one payment are submitted at the same instant, under one key or each under its own",
	Example: "burst: {of: A, copies: 50, keys: same}",
	New:     func() Action { return &burst{Keys: "same"} },
})

// maxCopies bounds the connections of one burst.
const maxCopies = 1000

type burst struct {
	about   `yaml:",inline"`
	Copies  int             `yaml:"copies"`
	Keys    string          `yaml:"keys"`     // same or fresh
	Doors   []string        `yaml:"doors"`    // entry points that the copies take in turn; pay is the usual one
	SameKey bool            `yaml:"same-key"` // with keys: same, the key that the payment has had before
	GivesUp decode.Duration `yaml:"gives-up"`
}

func (s *burst) Validate() error {
	if s.Copies < 2 || s.Copies > maxCopies {
		return fmt.Errorf("copies: from 2 to %d", maxCopies)
	}
	if s.Keys != "same" && s.Keys != "fresh" {
		return errors.New("keys: " + decode.UnknownName("choice of keys", s.Keys, []string{"same", "fresh"}))
	}
	if s.SameKey && s.Keys != "same" {
		return errors.New("same-key goes with keys: same")
	}
	return nil
}

// Needs are the doors.
func (s *burst) Needs() (out []string) {
	for _, door := range s.Doors {
		if door != usualDoor {
			out = append(out, targets.Door(door))
		}
	}
	return out
}

// Begins is the payment with its key.
func (s *burst) Begins() []Thing { return []Thing{aPayment(s.Of), aKey(s.Of)} }

// RestsOn is the payment, where its key is used again.
func (s *burst) RestsOn() []Thing {
	if s.SameKey {
		return []Thing{aKey(s.Of)}
	}
	return nil
}

// Fresh is under how many new keys which payment is submitted.
func (s *burst) Fresh() (of string, keys int) {
	switch {
	case s.Keys == "fresh":
		return labelled(s.Of), s.Copies
	case s.SameKey:
		return labelled(s.Of), 0
	}
	return labelled(s.Of), 1
}

func (s *burst) Do(ctx context.Context, e *Env) error {
	p := e.payment(s.Of, "")
	if err := e.prepare(ctx, p); err != nil {
		return err
	}
	keys, err := s.keys(ctx, e, p)
	if err != nil {
		return err
	}
	subs := make([]submission, s.Copies)
	for i := range subs {
		subs[i] = e.submission(p, keys[i])
		subs[i].within(e, s.GivesUp)
		if len(s.Doors) > 0 {
			if subs[i], err = e.through(subs[i], s.Doors[i%len(s.Doors)]); err != nil {
				return err
			}
		}
	}
	if err := e.volley(ctx, p, subs); err != nil {
		return err
	}
	return e.follow(ctx, p)
}

// volley sends requests about one payment at the same instant and records them with the spread that was achieved.
func (e *Env) volley(ctx context.Context, p *payment, subs []submission) (err error) {
	e.mu.Lock()
	e.bursts++
	n := e.bursts
	e.mu.Unlock()
	copies := make([]*Copy, len(subs))
	defer func() {
		for _, c := range copies {
			c.close()
		}
	}()
	for i := range copies {
		subs[i].burst = n
		if copies[i], err = e.copy(ctx, subs[i]); err != nil {
			return err
		}
	}
	began := e.Recorder.Since()
	for _, c := range copies {
		c.attempt.Sent = began // until now no service can have acted on it
	}
	if err := Release(copies, subs[0].patience); err != nil {
		return err
	}
	e.collect(copies)
	e.Recorder.Add(history.Event{Burst: &history.Burst{N: n, Order: p.Order, Copies: len(copies), Spread: e.spread(p.Order, began, len(copies))}})
	return nil
}

func (s *burst) keys(ctx context.Context, e *Env, p *payment) ([]string, error) {
	keys := make([]string, s.Copies)
	for i := range keys {
		var err error
		switch {
		case i > 0 && s.Keys == "same":
			keys[i] = keys[0]
		case i == 0 && s.SameKey:
			keys[i], err = e.keyOf(s.Of)
		default:
			keys[i], err = e.freshKey(ctx, e.submission(p, ""))
		}
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// spread is the time from the first to the last of the copies as the client link saw them pass, complete.
func (e *Env) spread(order string, began time.Duration, copies int) time.Duration {
	var first, last time.Duration
	n := 0
	for _, m := range e.Recorder.History().Messages() {
		if m.V.Link != "client" || m.V.Dir != history.Request || m.V.Order != order || m.Time < began || n == copies {
			continue
		}
		if n++; n == 1 {
			first = m.Time
		}
		last = m.Time
	}
	return last - first
}

// copy makes one copy of a burst: connected, and sent but for its last byte.
func (e *Env) copy(ctx context.Context, s submission) (*Copy, error) {
	a := s.attempt(e)
	at, err := e.Stack.ClientURL(s.instance)
	if err != nil {
		return nil, err
	}
	req, err := s.request.Build(ctx, at, s.vars(e, a.Trace))
	if err != nil {
		return nil, err
	}
	c, err := Prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	c.attempt = a
	return c, nil
}

// collect reads the answers of all copies and records them.
func (e *Env) collect(copies []*Copy) {
	var wait sync.WaitGroup
	for _, c := range copies {
		wait.Go(func() {
			resp, err := c.Answer()
			var reply *targets.Reply
			if err == nil {
				reply, err = targets.ReadReply(resp)
			}
			e.finish(c.attempt, reply, err)
		})
	}
	wait.Wait()
}

// Copy is one request of a burst, on a connection of its own.
type Copy struct {
	conn    net.Conn
	req     *http.Request
	last    []byte
	attempt *history.Attempt
}

// Prepare connects and sends a request but for its last byte: the server has all but the moment.
func Prepare(ctx context.Context, req *http.Request) (*Copy, error) {
	var raw bytes.Buffer
	if err := req.Write(&raw); err != nil {
		return nil, fmt.Errorf("preparing a copy of %s %s: %w", req.Method, req.URL.Path, err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return nil, fmt.Errorf("preparing a copy of %s %s: %w", req.Method, req.URL.Path, err)
	}
	data := raw.Bytes()
	if _, err := conn.Write(data[:len(data)-1]); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("preparing a copy of %s %s: %w", req.Method, req.URL.Path, err)
	}
	return &Copy{conn: conn, req: req, last: data[len(data)-1:]}, nil
}

// Release lets all copies go at once: one loop writes the last bytes, since a goroutine each would be woken one by one.
// Each copy waits at most patience for its answer.
func Release(copies []*Copy, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for _, c := range copies {
		if err := c.conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("releasing a burst: %w", err)
		}
	}
	for _, c := range copies {
		// A copy whose connection has gone is found out when its answer is read.
		_, _ = c.conn.Write(c.last)
	}
	return nil
}

// Answer waits for the answer of a copy. Its body must be read before the copy is closed.
func (c *Copy) Answer() (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(c.conn), c.req)
}

func (c *Copy) close() {
	if c != nil {
		_ = c.conn.Close()
	}
}
