package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// running is one process of the service with its instances.
type running struct {
	*targets.Process
	instances []Service
}

// All are all instances of all processes of the service, in the order in which they were started.
func (s *Stack) All() (out []Service) {
	for _, p := range s.processes {
		out = append(out, p.instances...)
	}
	return out
}

// Process is an instance of a process, from 1; 0 is the first too, and "" the process that takes payments.
func (s *Stack) Process(name string, n int) (Service, error) {
	if name == "" {
		return s.Instance(n)
	}
	var names []string
	for _, p := range s.processes {
		names = append(names, p.Name)
		if p.Name != name {
			continue
		}
		if n = max(1, n); n > len(p.instances) {
			return nil, fmt.Errorf("this stack has no instance %d of process %s; it has %d", n, name, len(p.instances))
		}
		return p.instances[n-1], nil
	}
	return nil, errors.New(decode.UnknownName("process", name, names))
}

// instanceName is what an instance of a process is called in a history, from 1.
func instanceName(process string, n int) string {
	if n == 1 {
		return process
	}
	return fmt.Sprintf("%s-%d", process, n)
}

// count is how many instances of a process there are to be.
func (s *Stack) count(p *targets.Process) int {
	if p == s.Target.TakesPayments() {
		return max(1, p.Instances, s.Spec.Instances)
	}
	return max(1, p.Instances)
}

// chooseListens says where each instance of each process listens.
func (s *Stack) chooseListens() error {
	for _, p := range s.Target.Processes {
		n := s.count(p)
		switch {
		case p.URL != "":
			u, err := url.Parse(p.URL)
			if err != nil {
				return fmt.Errorf("process %s: %w", p.Name, err)
			}
			s.listens[p.Name] = []string{hostPort(u)}
		case p.Listen.Port > 0 && n > 1:
			return fmt.Errorf("process %s insists on port %d, and cannot run %d times; let it take ${listen.port}, and say listen: auto: %w", p.Name, p.Listen.Port, n, ErrNotUp)
		case p.Listen.Port > 0:
			if err := free(p.Listen.Port); err != nil {
				return fmt.Errorf("port %d, on which process %s insists, is taken: %w: %w; end what listens there (ss -ltnp shows it)", p.Listen.Port, p.Name, ErrNotUp, err)
			}
			s.listens[p.Name] = []string{net.JoinHostPort(localhost, strconv.Itoa(p.Listen.Port))}
		case p.Listen.Auto || p.Role != "":
			for range n {
				address, err := s.listenAddress(p)
				if err != nil {
					return errors.Join(ErrNotUp, err)
				}
				s.listens[p.Name] = append(s.listens[p.Name], address)
			}
		}
	}
	return nil
}

// localhost is where services of one's own listen that listen on this machine alone.
const localhost = "127.0.0.1"

// listenAddress is for an instance that takes the address, or only the port, that it is given.
func (s *Stack) listenAddress(p *targets.Process) (string, error) {
	if p.Role != "" {
		return s.Loopback.Fixed()
	}
	return s.Loopback.FixedEverywhere()
}

// hostPort is the address of a URL.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// pathOf is what stands before every path of a process that runs already.
func pathOf(p *targets.Process) string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// free says whether nobody listens on a port.
func free(port int) error {
	for _, host := range []string{localhost, ""} {
		ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return err
		}
		_ = ln.Close()
	}
	return nil
}

// address are the placeholders for an address.
func address(vars targets.Vars, name, scheme, at string) {
	host, port, _ := net.SplitHostPort(at)
	number, _ := strconv.Atoi(port)
	vars[name+".url"], vars[name+".host"], vars[name+".port"] = scheme+"://"+at, host, number
}

// upProcesses starts the processes, in the order of the file, and the instances of one after the other: the first may make
// the tables that all of them use.
func (s *Stack) upProcesses(ctx context.Context, vars targets.Vars) error {
	for _, p := range s.Target.Processes {
		r := &running{Process: p}
		s.processes = append(s.processes, r)
		for n := range s.count(p) {
			service, err := s.service(p, n+1, vars)
			if err != nil {
				return err
			}
			r.instances = append(r.instances, service)
			if p == s.Target.TakesPayments() {
				s.Services = append(s.Services, service)
			}
			if err := service.Start(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// service is an instance of a process, still to be started.
func (s *Stack) service(p *targets.Process, n int, vars targets.Vars) (Service, error) {
	name := instanceName(p.Name, n)
	if p.URL != "" {
		return &stranger{name: name, ready: s.readyURL(p, n)}, nil
	}
	made, err := s.prepare(p, n, vars)
	if err != nil {
		return nil, err
	}
	c := &Child{
		journal: s.journal(name), name: name, args: made.args, env: made.env, dir: made.dir, ready: s.readyURL(p, n),
		config: made.config, attributes: made.attributes, orderly: time.Duration(p.Stop),
		event: func(what string, pid int, err error) {
			if what == "started" {
				s.Workdir.Note(pid)
			}
			s.happened(name, what, pid, err)
		},
	}
	if p.BeforeRestart != "" {
		c.again = func(ctx context.Context) error { return s.SQL(ctx, p.BeforeRestart) }
	}
	s.onClose(c.end)
	return c, nil
}

// readyURL is what tells that an instance can be asked: a URL that answers, a port that is open (tcp://), or nothing.
func (s *Stack) readyURL(p *targets.Process, n int) string {
	listens := s.listens[p.Name]
	switch {
	case n > len(listens):
		return ""
	case p.Ready.Get != "":
		return "http://" + listens[n-1] + p.Ready.Get
	}
	return "tcp://" + listens[n-1]
}

// prepared is how an instance is started.
type prepared struct {
	dir        string
	args, env  []string
	vars       targets.Vars
	config     func() (string, error) // the value of ConfigVar; nil for none
	attributes func() *syscall.SysProcAttr
}

// prepare fills in the placeholders of a process and makes the folder in which it runs.
func (s *Stack) prepare(p *targets.Process, n int, vars targets.Vars) (out prepared, err error) {
	out.vars = vars.With(s.placesOf(p, n))
	if p.Role != "" {
		out.args, out.env = append(slices.Clone(s.Self), p.Role), s.Env
		own := out.vars
		out.config = func() (string, error) { return s.roleConfig(p, own) }
		return out, nil
	}
	place := fmt.Sprintf("processes.%s", p.Name)
	for i, word := range p.Run {
		filled, err := out.vars.Expand(word)
		if err != nil {
			return out, fmt.Errorf("%s.run, word %d: %w", place, i+1, err)
		}
		out.args = append(out.args, filled)
	}
	if out.env, err = s.environment(p, out.vars); err != nil {
		return out, fmt.Errorf("%s.%w", place, err)
	}
	if out.dir, err = s.folder(p, n, out.vars); err != nil {
		return out, fmt.Errorf("%s: its folder: %w: %w", place, ErrNotUp, err)
	}
	if err := s.behindHosts(p, &out); err != nil {
		return out, fmt.Errorf("%s: %w: %w", place, ErrNotUp, err)
	}
	return out, nil
}

// passedOn are the variables of the harness's own environment that every process gets.
var passedOn = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "SYSTEMROOT"}

// environment is a small clean one: what is set on this machine by chance must not decide about the verdict.
func (s *Stack) environment(p *targets.Process, vars targets.Vars) ([]string, error) {
	temp := filepath.Join(vars["dir"].(string), "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, fmt.Errorf("env: %w: %w", ErrNotUp, err)
	}
	// A log that waits in a buffer is lost when its process is killed.
	env := []string{"TMPDIR=" + temp, "PYTHONUNBUFFERED=1", "PYTHONDONTWRITEBYTECODE=1"}
	for _, pair := range s.Env {
		if name, _, _ := strings.Cut(pair, "="); slices.Contains(passedOn, name) {
			env = append(env, pair)
		}
	}
	if s.authority != nil {
		for _, name := range trustVars {
			env = append(env, name+"="+fmt.Sprint(vars[caFile]))
		}
	}
	for name, text := range p.Env {
		value, err := vars.Expand(text)
		if err != nil {
			return nil, fmt.Errorf("env.%s: %w", name, err)
		}
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env, nil
}

// folder is where an instance runs: in its programmer's own, or, where it has files of its own, in one that has links to
// everything there.
func (s *Stack) folder(p *targets.Process, n int, vars targets.Vars) (string, error) {
	of := s.within(p.Cwd)
	if info, err := os.Stat(of); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", of)
	}
	files, away := map[string]string{}, map[string]string{}
	for name, text := range p.Files {
		filled, err := vars.Expand(text)
		if err != nil {
			return "", fmt.Errorf("files.%s: %w", name, err)
		}
		files[name] = filled
	}
	if d := s.Target.Database; d != nil && d.File != "" && s.rowsDriver == "sqlite" {
		away[d.File] = fmt.Sprint(vars["db.file"])
	}
	if len(files)+len(away) == 0 {
		return of, nil
	}
	at := filepath.Join(vars["dir"].(string), "at-"+instanceName(p.Name, n))
	if _, err := os.Stat(at); err == nil {
		return at, nil // made for a command of the schema
	}
	return at, linkedFolder(at, of, files, away)
}

// openRows makes ready to read the rows of the service: by requests and commands too, which go past every proxy.
func (s *Stack) openRows(vars targets.Vars) (*targets.Reader, error) {
	p := s.Target.TakesPayments()
	ways := targets.Ways{Dir: s.within(p.Cwd)}
	if listens := s.listens[p.Name]; len(listens) > 0 {
		ways.Base = "http://" + listens[0] + pathOf(p)
	}
	if p.Role == "" {
		env, err := s.environment(p, vars.With(s.placesOf(p, 1)))
		if err != nil {
			return nil, err
		}
		ways.Env = env
	}
	return targets.OpenRows(s.Target, s.rowsDriver, s.rowsDSN, ways)
}

// placesOf are the placeholders of one instance of a process alone.
func (s *Stack) placesOf(p *targets.Process, n int) targets.Vars {
	out := targets.Vars{"instance": strconv.Itoa(n)}
	if listens := s.listens[p.Name]; n <= len(listens) {
		address(out, "listen", "http", listens[n-1])
		out["listen"] = listens[n-1]
	}
	return out
}

// stranger is a process that runs already. It is not the harness's to start or to end.
type stranger struct{ name, ready string }

func (x *stranger) Start(ctx context.Context) error {
	return awaitReady(ctx, x.name, x.ready, nil)
}

func (x *stranger) not(what string) error {
	return fmt.Errorf("%s cannot be %s: it ran already, and is not the harness's", x.name, what)
}

func (x *stranger) Kill() error            { return x.not("killed") }
func (x *stranger) Pause() error           { return x.not("stopped") }
func (x *stranger) Continue() error        { return x.not("continued") }
func (x *stranger) Running() bool          { return true }
func (x *stranger) LastWords(int) []string { return nil }
