package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// ProxyRole is what a process is told that holds the proxies of one experiment and nothing else.
type ProxyRole struct {
	Control string        `json:"control"` // address on which the harness talks to it (see DialProxies)
	Links   []ProxyConfig `json:"links"`
}

// endWait bounds how long answers that are under way may take when the role ends.
const endWait = 5 * time.Second

// errHarnessGone is why the role ends when nobody reads any more what it tells.
var errHarnessGone = errors.New("the harness has gone: it does not read any more what the proxies tell")

// ServeProxies runs proxies in the service of a harness elsewhere, until ctx ends or the harness closes them, which is no
// error, or until the harness is gone, which is one.
func ServeProxies(ctx context.Context, role ProxyRole) error {
	ln, err := net.Listen("tcp", role.Control)
	if err != nil {
		return fmt.Errorf("listening for the harness: %w", err)
	}
	return newProxyServer().run(ctx, ln, role.Links)
}

func (s *proxyServer) run(ctx context.Context, ln net.Listener, links []ProxyConfig) error {
	defer s.end()
	for _, cfg := range links {
		if err := s.add(cfg); err != nil {
			return errors.Join(err, ln.Close())
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.over:
	case err = <-failed:
		err = fmt.Errorf("talking to the harness: %w", err)
	}
	s.end()
	if err != nil {
		cancel() // nobody is left to whom answers matter
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer stop()
	if srv.Shutdown(end) != nil {
		_ = srv.Close()
	}
	return err
}

// end closes the proxies for good. What waits for the harness goes on only when the connections are gone: no message
// passes that the harness was to be asked about.
func (s *proxyServer) end() {
	s.ending.Do(func() {
		s.told.stop()
		s.proxies.Close()
		close(s.ended)
	})
}
