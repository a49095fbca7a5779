package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// Embedded is everything on this machine's loopback: the service as a child process, all else inside the harness.
var Embedded = register(Runtime{
	Name:      "embedded",
	Doc:       "everything on this machine's loopback, without Docker: the service as a child process, SQLite, an in-process Redis and Kafka, or servers given by URL",
	Servers:   func(s Servers) (Servers, error) { return s, s.Validate() },
	Links:     embeddedLinks,
	Abilities: embeddedAbilities,
	Open: func(ctx context.Context, run Run) (Site, error) {
		return embedded{run, make(chan struct{}, 1)}, run.Servers.Reach(ctx)
	},
	Examine: examineEmbedded,
	unfit:   unfitEmbedded,
})

// embeddedAbilities hold the restart of a server only where that is inside the harness: one given by URL is not ours.
func embeddedAbilities(servers Servers) []string {
	abilities := []string{Instances, Clock}
	if servers.Cache == "" {
		abilities = append(abilities, RestartCache)
	}
	return abilities
}

// embeddedLinks are all but the one to the database, which a file does not have.
func embeddedLinks(servers Servers) []string {
	links := []string{BankLink, CacheLink, CallbackLink, ClientLink, QueueLink}
	if servers.DB != "" {
		links = append(links, DBLink)
	}
	return links
}

// ConfigVar is the environment variable through which a role of this binary gets its configuration.
const ConfigVar = "ONEDEBIT_CONFIG"

// RoleConfig is what a role of this binary is started with.
type RoleConfig struct {
	Mutant string          `json:"mutant,omitempty"`
	Config json.RawMessage `json:"config"`
}

// embedded is the loopback as a site: its experiments share nothing that would have to be taken down, but the ports on which a
// target insists.
type embedded struct {
	run   Run
	ports chan struct{} // holds one thing while an experiment has these ports
}

func (embedded) Close() error { return nil }

func (e embedded) Up(ctx context.Context, spec Spec) (*Stack, error) {
	s := newStack(e.run, spec)
	if exclusive(spec.Target) {
		select {
		case e.ports <- struct{}{}:
			s.onClose(func() error { <-e.ports; return nil })
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
	if err := s.bringUp(ctx); err != nil {
		return s, errors.Join(err, s.Down())
	}
	return s, nil
}

func (s *Stack) bringUp(ctx context.Context) error {
	if err := s.chooseListens(); err != nil {
		return err
	}
	dir, err := s.Workdir.Sub()
	if err != nil {
		return err
	}
	s.onClose(func() error { return os.RemoveAll(dir) })
	proxies := NewProxies()
	s.onClose(func() error { proxies.Close(); return nil })
	place := func(link string, protocol *wire.Protocol, upstreams ...string) (string, error) {
		return s.addProxy(proxies, link, protocol, upstreams...)
	}
	vars := targets.Vars{"dir": dir, "cache.prefix": "", "queue.prefix": "", "queue.topic": s.Target.Queue.Topic}
	parts := []func(context.Context, proxied, targets.Vars) error{
		s.upTrust, s.upServiceLinks, s.upBanks, s.upDatabase, s.upCache, s.upQueue, s.upPages,
	}
	for _, part := range parts {
		if err := part(ctx, place, vars); err != nil {
			return err
		}
	}
	if err := s.clientLinks(proxies, s.listens[s.Target.TakesPayments().Name]); err != nil {
		return err
	}
	if err := s.makeTables(ctx, vars); err != nil {
		return err
	}
	if err := s.upProcesses(ctx, vars); err != nil {
		return err
	}
	s.Rows, err = s.openRows(vars)
	if err != nil {
		return errors.Join(ErrNotUp, err)
	}
	s.onClose(s.Rows.Close)
	return nil
}

// proxied puts a proxy on a link, before servers at addresses as the harness sees them, and says where the service finds it.
type proxied func(link string, protocol *wire.Protocol, upstreams ...string) (address string, err error)

func (s *Stack) addProxy(proxies *Proxies, link string, protocol *wire.Protocol, upstreams ...string) (string, error) {
	seen := s.seen(link)
	listen, certificate, err := s.fixed(link)
	if err != nil {
		return "", err
	}
	cfg := ProxyConfig{Name: link, Listen: listen, Upstreams: upstreams, Protocol: protocol, Certificate: certificate}
	p, err := proxies.Add(cfg, func(m Seen) { seen(m, s.Recorder.Since()) })
	if err != nil {
		return "", fmt.Errorf("starting the proxy of link %s: %w: %w%s", link, ErrNotUp, err, advice(listen))
	}
	s.links[link] = p
	return p.Address(), nil
}

// upServiceLinks puts proxies before the process that takes payments and those that are called back, and tells processes
// where others are.
func (s *Stack) upServiceLinks(_ context.Context, place proxied, vars targets.Vars) error {
	main := s.Target.TakesPayments()
	for _, p := range s.Target.Processes {
		if listens := s.listens[p.Name]; len(listens) > 0 {
			address(vars, p.Name, "http", listens[0])
		}
	}
	for _, link := range []string{ClientLink, CallbackLink} {
		at, err := place(link, wire.HTTP, s.listens[main.Name]...)
		if err != nil {
			return err
		}
		address(vars, link, "http", at)
	}
	return nil
}

// serve puts a handler of the harness on the loopback, and takes it off again when the stack goes down.
func (s *Stack) serve(h http.Handler) (string, error) {
	ln, err := net.Listen("tcp", s.Loopback.Any())
	if err != nil {
		return "", fmt.Errorf("listening on the loopback: %w: %w", ErrNotUp, err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(ln) }()
	s.onClose(srv.Close)
	return ln.Addr().String(), nil
}

// roleConfig is the configuration of the service as JSON: the target file's, with placeholders filled in and timers
// divided by the speed. A dot in a key makes an object within an object.
func (s *Stack) roleConfig(p *targets.Process, vars targets.Vars) (string, error) {
	config := map[string]any{}
	for key, text := range p.Config {
		value, err := vars.Expand(text)
		if err != nil {
			return "", fmt.Errorf("config.%s of target %s: %w", key, s.Target.Name, err)
		}
		nest(config, key, value)
	}
	for key, d := range p.Timers {
		nest(config, key, s.Scale(time.Duration(d)).String())
	}
	if ahead := s.ClockAhead(); ahead > 0 {
		nest(config, p.Clock, ahead.String())
	}
	return told(s.Mutant, config)
}

// told is what a role is started with, as JSON.
func told(mutant string, config any) (string, error) {
	inner, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("configuration of a role: %w", err)
	}
	out, err := json.Marshal(RoleConfig{Mutant: mutant, Config: inner})
	return string(out), err
}

func nest(into map[string]any, key string, value any) {
	first, rest, nested := strings.Cut(key, ".")
	if !nested {
		into[key] = value
		return
	}
	inner, ok := into[first].(map[string]any)
	if !ok {
		inner = map[string]any{}
		into[first] = inner
	}
	nest(inner, rest, value)
}
