package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"time"

	"onedebit/scenarios/decode"
)

// Servers are the URLs of servers that run already, as services of a CI pipeline do. An empty one is embedded. They are
// shared by experiments: each gets a database, a key prefix and a topic of its own and removes them behind itself.
type Servers struct {
	DB    string // postgres://user:password@host:port/database, mysql://user:password@host:port/database
	Cache string // redis://host:port/0
	Queue string // amqp://user:password@host:port/vhost, kafka://host:port
}

// on is the server at the end of a link.
func (s *Servers) on(link string) *string {
	return map[string]*string{DBLink: &s.DB, CacheLink: &s.Cache, QueueLink: &s.Queue}[link]
}

// Validate says what is wrong with the URLs.
func (s Servers) Validate() error {
	var errs []error
	for _, u := range []struct {
		name, text, example string
		valid               []string
	}{
		{"db", s.DB, "postgres://user:password@127.0.0.1:5432/postgres", databaseSchemes()},
		{"cache", s.Cache, "redis://127.0.0.1:6379/0", []string{"redis"}},
		{"queue", s.Queue, "amqp://user:password@127.0.0.1:5672/", slices.Sorted(maps.Keys(brokers))},
	} {
		if u.text == "" {
			continue
		}
		parsed, err := url.Parse(u.text)
		switch {
		case err != nil || parsed.Scheme == "" || parsed.Host == "":
			errs = append(errs, fmt.Errorf("--%s: not the URL of a server, such as %s; with --runtime docker one is brought up", u.name, u.example))
		case !slices.Contains(u.valid, parsed.Scheme):
			errs = append(errs, fmt.Errorf("--%s: %s", u.name, decode.UnknownName("kind of server", parsed.Scheme, u.valid)))
		case parsed.Port() == "" || parsed.Hostname() == "":
			errs = append(errs, fmt.Errorf("--%s: %s needs host and port, for example %s://user:password@127.0.0.1:PORT/name", u.name, parsed.Redacted(), parsed.Scheme))
		}
	}
	return errors.Join(errs...)
}

// Remote are the hosts of servers that are not on this machine.
func (s Servers) Remote() (hosts []string) {
	for _, text := range []string{s.DB, s.Cache, s.Queue} {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			continue // none, or one that a runtime brings up
		}
		if h := u.Hostname(); far(h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// reachWait bounds how long a server may take to take a connection.
const reachWait = 10 * time.Second

// Reach says which of the servers cannot be reached: once for a run, and not once for each of its experiments.
func (s Servers) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachWait)
	defer cancel()
	var errs []error
	for _, server := range []struct{ what, text string }{{"database", s.DB}, {"cache", s.Cache}, {"queue", s.Queue}} {
		u, err := url.Parse(server.text)
		if server.text == "" || err != nil {
			continue
		}
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", u.Host)
		if err != nil {
			errs = append(errs, fmt.Errorf("the %s server at %s cannot be reached: %w: %w; start it, or leave its flag out for an embedded one", server.what, u.Redacted(), ErrNotUp, err))
			continue
		}
		_ = conn.Close()
	}
	return errors.Join(errs...)
}

// through is a server's URL with the proxy's address in place of its own.
func through(server *url.URL, proxy string) *url.URL {
	out := *server
	out.Host = proxy
	return &out
}
