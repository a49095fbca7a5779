package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// ProxyRole is what a process is told that holds the proxies of one experiment, and beside them its banks: a container less
// for each experiment is most of what bringing it up costs.
type ProxyRole struct {
	Control string        `json:"control"` // address on which the harness talks to it (see DialProxies)
	Token   string        `json:"token"`   // without which nobody talks to it
	Links   []ProxyConfig `json:"links"`
	Banks   []BankRole    `json:"banks,omitempty"` // whose control API is below bankPath of the same address
}

// bankPath is where the control API of the n-th bank is found, beside the control of the proxies.
func bankPath(n int) string { return fmt.Sprintf("/bank/%d", n) }

// endWait bounds how long answers that are under way may take when the role ends.
const endWait = 5 * time.Second

// errHarnessGone is why the role ends when nobody reads any more what it tells.
var errHarnessGone = errors.New("the harness has gone: it does not read any more what the proxies tell")

// ServeProxies runs proxies in the service of a harness elsewhere, until ctx ends or the harness closes them, which is no
// error, or until the harness is gone, which is one.
func ServeProxies(ctx context.Context, role ProxyRole) error {
	if role.Token == "" {
		return fmt.Errorf("starting the proxies: %w", errNoToken)
	}
	ctx, cancel := context.WithCancel(ctx)
	ln, err := net.Listen("tcp", role.Control)
	if err != nil {
		cancel()
		return fmt.Errorf("listening for the harness: %w", err)
	}
	s := newProxyServer(role.Token)
	wait, err := s.openBanks(ctx, role.Banks)
	if err != nil {
		err = errors.Join(err, ln.Close())
	} else {
		err = s.run(ctx, ln, role.Links)
	}
	cancel()
	return errors.Join(err, together(wait...))
}

// openBanks has banks listen until ctx ends, each of which is to be waited for, also where there is an error.
func (s *proxyServer) openBanks(ctx context.Context, roles []BankRole) (wait []func() error, err error) {
	for i, role := range roles {
		bank, err := role.open()
		if err != nil {
			return wait, fmt.Errorf("starting the bank: %w", err)
		}
		one, err := serveBank(ctx, bank, bankSide{role.API, bank.API()})
		if err != nil {
			return wait, err
		}
		wait = append(wait, one)
		s.banks = append(s.banks, http.StripPrefix(bankPath(i), bank.Control()))
	}
	return wait, nil
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
