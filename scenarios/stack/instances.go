package stack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/stack/wire"
)

// clientLinks remembers where clients reach the service. Where there are several instances each has a way of its own too,
// past the load balancer; faults of the client link are not on it.
func (s *Stack) clientLinks(proxies *Proxies, listens []string) error {
	path := pathOf(s.Target.TakesPayments())
	s.clients = []string{"http://" + s.links[ClientLink].Address() + path}
	for i, listen := range listens {
		if len(listens) == 1 {
			break
		}
		seen := s.seen(ClientLink)
		p, err := proxies.Add(ProxyConfig{
			Name: instanceLink(i + 1), Listen: s.Loopback.Any(), Upstreams: []string{listen}, Protocol: wire.HTTP,
		}, func(m Seen) { seen(m, s.Recorder.Since()) })
		if err != nil {
			return fmt.Errorf("starting the proxy of instance %d: %w: %w", i+1, ErrNotUp, err)
		}
		s.clients = append(s.clients, "http://"+p.Address()+path)
	}
	return nil
}

// instanceLink is the name of the proxy on the way of clients to one instance.
func instanceLink(n int) string { return fmt.Sprintf("%s-%d", ClientLink, n) }

// ClientURL is where clients send payments: to whichever instance the load balancer gives for 0, else to this very one.
func (s *Stack) ClientURL(instance int) (string, error) {
	if len(s.clients) == 1 && instance == 1 {
		instance = 0
	}
	if instance < 0 || instance >= len(s.clients) {
		return "", fmt.Errorf("this stack has no instance %d of the service; it has %d", instance, len(s.Services))
	}
	return s.clients[instance], nil
}

// Instance is one instance of the service, from 1; 0 is the first too.
func (s *Stack) Instance(n int) (Service, error) {
	n = max(1, n)
	if n > len(s.Services) {
		return nil, fmt.Errorf("this stack has no instance %d of the service; it has %d", n, len(s.Services))
	}
	return s.Services[n-1], nil
}

// ClockAhead is by how much the clock of the service is ahead of ours, in real life and not divided by the speed.
func (s *Stack) ClockAhead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ahead
}

// MoveClock lets the clock of the service jump, and with it that of the cache: every instance is killed and started again
// in the later time. The bank's clock stays, as that of somebody else does.
func (s *Stack) MoveClock(ctx context.Context, by time.Duration) error {
	if s.Target.TakesPayments().Clock == "" {
		return fmt.Errorf("the clock of target %s cannot be moved: its processes.NAME.clock names no key", s.Target.Name)
	}
	for _, service := range s.Services {
		if err := service.Kill(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.ahead += by
	s.mu.Unlock()
	var errs []error
	if s.Cache != nil {
		errs = append(errs, s.Cache.Advance(ctx, by))
	}
	for _, service := range s.Services {
		errs = append(errs, service.Start(ctx))
	}
	return errors.Join(errs...)
}
