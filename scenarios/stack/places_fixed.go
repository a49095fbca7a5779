package stack

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// insistence is what a service expects of the other end of a link, by its own code.
type insistence struct {
	port  int // 0: any
	names []string
	tls   bool
}

// usualPorts are those of servers that are known by a name alone.
var usualPorts = map[string]int{
	"postgres": 5432, "mysql": 3306, "redis": 6379, "rabbitmq": 5672, "kafka": 9092,
}

// insists says what the service expects on a link.
func (s *Stack) insists(link string) insistence {
	var out insistence
	name := link
	for _, b := range s.banks {
		if b.link == link {
			bank := s.Target.Banks[b.name]
			name, out = b.name, insistence{port: bank.Listen, names: slices.Clone(bank.Names), tls: bank.TLS}
		}
	}
	engine := ""
	if l := s.Target.Links[link]; l != nil && name == link {
		out, engine = insistence{port: l.Port, names: slices.Clone(l.Names), tls: l.TLS}, l.Engine
	}
	if d := s.Target.Database; d != nil && link == DBLink {
		engine = d.Engine
	}
	for _, p := range s.Target.Processes {
		for host, to := range p.Hosts {
			if to == name && !slices.Contains(out.names, host) {
				out.names = append(out.names, host)
			}
		}
	}
	slices.Sort(out.names)
	switch {
	case out.port > 0 || len(out.names) == 0:
	case usualPorts[engine] > 0:
		out.port = usualPorts[engine]
	case out.tls:
		out.port = 443
	default:
		out.port = 80
	}
	return out
}

// fixed is where the proxy of a link listens, and what it shows to clients that speak TLS.
func (s *Stack) fixed(link string) (listen string, shown *Certificate, err error) {
	want, listen := s.insists(link), s.Loopback.Any()
	switch {
	case want.port > 0 && strange(s.Target):
		listen = net.JoinHostPort(localhost, strconv.Itoa(want.port)) // one that runs already was told so before
	case want.port > 0:
		if listen, err = s.Loopback.Own(want.port); err != nil {
			return "", nil, fmt.Errorf("link %s: %w: %w", link, ErrNotUp, err)
		}
	}
	if want.tls {
		host, _, _ := net.SplitHostPort(listen)
		shown, err = s.authority.certify(append(want.names, host)...)
	}
	return listen, shown, err
}

// strange says whether a process of the target runs already.
func strange(t *targets.Target) bool {
	return slices.ContainsFunc(t.Processes, func(p *targets.Process) bool { return p.URL != "" })
}

// exclusive says whether two experiments with a target would be in each other's way.
func exclusive(t *targets.Target) bool {
	return strange(t) || slices.ContainsFunc(t.Processes, func(p *targets.Process) bool { return p.Listen.Port > 0 })
}

// caFile is the placeholder for the file of the certificate authority that the service is to trust.
const caFile = "ca.file"

// trustVars are the variables by which languages are told whom to trust: Go and OpenSSL, curl, Python's requests, Node.
var trustVars = []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}

// upTrust makes a certificate authority where a link speaks TLS, and puts its certificate where the service finds it.
func (s *Stack) upTrust(_ context.Context, _ proxied, vars targets.Vars) error {
	if err := s.makeAuthority(); err != nil || s.authority == nil {
		return err
	}
	file := filepath.Join(vars["dir"].(string), "ca.pem")
	vars[caFile] = file
	if err := os.WriteFile(file, s.authority.PEM, 0o644); err != nil {
		return fmt.Errorf("writing the certificate that the service is to trust: %w: %w", ErrNotUp, err)
	}
	return nil
}

// makeAuthority makes a certificate authority where a link speaks TLS.
func (s *Stack) makeAuthority() (err error) {
	speaks := slices.ContainsFunc(s.Target.BankNames(), func(b string) bool { return s.Target.Banks[b].TLS }) ||
		slices.ContainsFunc(s.Target.LinkNames(), func(l string) bool { return s.Target.Links[l].TLS })
	if speaks {
		s.authority, err = newAuthority(s.Recorder.Start())
	}
	return err
}

// upPages serves the static pages that the service reads, each folder behind a link of its own.
func (s *Stack) upPages(_ context.Context, place proxied, vars targets.Vars) error {
	for _, name := range slices.Sorted(maps.Keys(s.Target.Links)) {
		link := s.Target.Links[name]
		if link.Serve == "" {
			continue
		}
		folder := s.within(link.Serve)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("links.%s.serve: %s is no folder: %w", name, folder, ErrNotUp)
		}
		at, err := s.serve(http.FileServer(http.Dir(folder)))
		if err != nil {
			return err
		}
		if at, err = place(name, wire.HTTP, at); err != nil {
			return err
		}
		address(vars, name, scheme(link.TLS), at)
	}
	return nil
}

func scheme(tls bool) string {
	if tls {
		return "https"
	}
	return "http"
}
