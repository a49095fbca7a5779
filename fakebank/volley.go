package fakebank

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// loaded is one notification that is on its way but for its last byte.
type loaded struct {
	conn net.Conn
	req  *http.Request
	last []byte
	sent time.Time
	err  error
}

// volley delivers notifications that arrive together: each has a connection of its own, on which everything but the last
// byte is written before the last bytes are let go in one loop.
func (b *Bank) volley(ctx context.Context, notices []*notice) []delivery {
	shots := make([]*loaded, len(notices))
	each(len(notices), func(i int) { shots[i] = b.load(ctx, notices[i]) })
	for _, s := range shots {
		s.release(b.clock)
	}
	out := make([]delivery, len(notices))
	each(len(notices), func(i int) {
		out[i] = b.deliver(ctx, notices[i], func(ctx context.Context, _ *notice) (int, error) {
			return shots[i].answer(ctx, b.config.CallbackTimeout)
		})
		out[i].sent = shots[i].sent
	})
	return out
}

// each runs f for 0 to n-1 at once and waits for all.
func each(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func (b *Bank) load(ctx context.Context, n *notice) *loaded {
	ctx, cancel := context.WithTimeout(ctx, b.config.CallbackTimeout)
	defer cancel()
	req, err := b.request(ctx, n)
	if err != nil {
		return &loaded{err: err}
	}
	req.Close = true
	var text bytes.Buffer
	if err := req.Write(&text); err != nil {
		return &loaded{err: fmt.Errorf("writing the callback: %w", err)}
	}
	conn, err := dial(ctx, req)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return &loaded{err: fmt.Errorf("no answer: %w", err)}
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	all := text.Bytes()
	_, err = conn.Write(all[:len(all)-1])
	if !stop() {
		err = context.Cause(ctx) // whatever the write says of its connection, which was closed under it
	}
	if err != nil {
		conn.Close()
		return &loaded{err: fmt.Errorf("no answer: %w", err)}
	}
	return &loaded{conn: conn, req: req, last: all[len(all)-1:]}
}

func dial(ctx context.Context, req *http.Request) (net.Conn, error) {
	port := req.URL.Port()
	if req.URL.Scheme == "https" {
		if port == "" {
			port = "443"
		}
		return (&tls.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(req.URL.Hostname(), port))
	}
	if port == "" {
		port = "80"
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(req.URL.Hostname(), port))
}

func (s *loaded) release(clock Clock) {
	if s.err != nil {
		return
	}
	s.sent = clock.Now()
	if _, err := s.conn.Write(s.last); err != nil {
		s.conn.Close()
		s.err = fmt.Errorf("no answer: %w", err)
	}
}

func (s *loaded) answer(ctx context.Context, within time.Duration) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	defer s.conn.Close()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.conn.Close() })()
	resp, err := http.ReadResponse(bufio.NewReader(s.conn), s.req)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("no answer: %w", err)
	}
	return resp.StatusCode, nil
}
