package targets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Processes are the processes of a service, in the order of the file, in which they are started.
type Processes []*Process

// DecodeNode reads processes by their names.
func (p *Processes) DecodeNode(f *decode.File, n *yaml.Node) error {
	byName := map[string]*Process{}
	if err := f.Decode(n, &byName); err != nil {
		return err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if byName[name] == nil {
			return f.Errorf(n.Content[i], "process %s: say how it is started, for example run: [./server]", name)
		}
		byName[name].Name = name
		*p = append(*p, byName[name])
	}
	return nil
}

// Process says how a process of the service is started, or where it runs already.
type Process struct {
	Name string `yaml:"-"`

	Run   []string `yaml:"run"`   // the command and its words; placeholders allowed
	Image string   `yaml:"image"` // in place of run, for containers: the image; run is then its command
	URL   string   `yaml:"url"`   // in place of run: where it runs already
	Role  string   `yaml:"role"`  // in place of run: a role of this binary

	Cwd    string            `yaml:"cwd"`    // folder in which it runs, within that of this file, which it is where not given
	Listen Listen            `yaml:"listen"` // auto, or the port that it insists on; without it nothing is asked of it
	Env    map[string]string `yaml:"env"`    // its environment, beside PATH, HOME, LANG and TMPDIR; placeholders allowed
	Files  map[string]string `yaml:"files"`  // by name, with placeholders: it runs in a folder of its own that holds them and links to everything in cwd
	Hosts  map[string]string `yaml:"hosts"`  // host names fixed in its code, and the bank or link that each is to lead to (Linux)

	Ready         Ready           `yaml:"ready"`          // tcp, or {get: /health}: when it can be asked
	Stop          decode.Duration `yaml:"stop"`           // how long it may take to end when it is asked to
	BeforeRestart string          `yaml:"before_restart"` // SQL on its database, before it is started again
	Instances     int             `yaml:"instances"`      // how many of it run; 1 where not given
	Takes         string          `yaml:"takes"`          // payments: it takes them, and not the first process with listen or url

	Config map[string]string          `yaml:"config"` // of a role: handed over as JSON; placeholders allowed
	Timers map[string]decode.Duration `yaml:"timers"` // of a role: real-life durations, divided by the speed and handed over beside config
	Clock  string                     `yaml:"clock"`  // of a role: the key of config that moves its clock by a duration, not divided by the speed
}

// maxProcessInstances bounds the instances of a process.
const maxProcessInstances = 8

// Validate checks that there is one way to start it.
func (p *Process) Validate() error {
	ways := 0
	for _, given := range []bool{len(p.Run) > 0 && p.Image == "", p.Image != "", p.URL != "", p.Role != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("say in one way how it is started: run: [./server], image: NAME, or url: of one that runs already")
	case p.Takes != "" && p.Takes != "payments":
		return fmt.Errorf("takes: %q; the only word for it is payments", p.Takes)
	case p.Instances < 0 || p.Instances > maxProcessInstances:
		return fmt.Errorf("instances: from 1 to %d", maxProcessInstances)
	case p.URL != "" && (p.Listen.Given() || len(p.Env)+len(p.Files)+len(p.Hosts) > 0 || p.Cwd != "" || p.Instances > 1):
		return errors.New("url: it runs already, so that listen, env, files, hosts, cwd and instances cannot be given to it")
	case p.Role == "" && (len(p.Config)+len(p.Timers) > 0 || p.Clock != ""):
		return errors.New("config, timers and clock are of a role; give a process of your own env: or files: instead")
	case p.URL != "" && !strings.HasPrefix(p.URL, "http://") && !strings.HasPrefix(p.URL, "https://"):
		return fmt.Errorf("url: %q; write it as in http://127.0.0.1:8080", p.URL)
	}
	return nil
}

// Reachable says whether clients can send it something.
func (p *Process) Reachable() bool { return p.Listen.Given() || p.URL != "" || p.Role != "" }

// TakesPayments is the process that payments are sent to: the one that says so, else the first that can be reached.
func (t *Target) TakesPayments() *Process {
	for _, p := range t.Processes {
		if p.Takes != "" {
			return p
		}
	}
	for _, p := range t.Processes {
		if p.Reachable() {
			return p
		}
	}
	return nil
}

// Process finds a process by its name.
func (t *Target) Process(name string) (*Process, error) {
	var names []string
	for _, p := range t.Processes {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return nil, errors.New(decode.UnknownName("process", name, names))
}

// checkProcesses checks what no single process can know.
func (t *Target) checkProcesses() error {
	takers := 0
	for _, p := range t.Processes {
		if p.Takes != "" {
			takers++
		}
	}
	switch {
	case len(t.Processes) == 0:
		return errors.New("processes: say how the service is started, for example processes: {api: {run: [./server], listen: auto}}")
	case takers > 1:
		return errors.New("processes: two of them say takes: payments; one does")
	case t.TakesPayments() == nil:
		return errors.New("processes: none can be reached; say listen: auto or the port that it listens on, or url: of one that runs")
	}
	targets := slices.Concat(t.BankNames(), t.LinkNames())
	for _, p := range t.Processes {
		for _, to := range p.Hosts {
			if !slices.Contains(targets, to) {
				return fmt.Errorf("processes.%s.hosts: %s", p.Name, decode.UnknownName("bank or link", to, targets))
			}
		}
	}
	return nil
}

// Listen is where a process listens: on a port that the harness chooses, or on one that it insists on.
type Listen struct {
	Auto bool
	Port int
}

// Given says whether it listens at all.
func (l Listen) Given() bool { return l.Auto || l.Port != 0 }

// DecodeNode reads auto or a port.
func (l *Listen) DecodeNode(f *decode.File, n *yaml.Node) error {
	if l.Auto = n.Value == "auto"; l.Auto {
		return nil
	}
	port, err := portOf(n)
	l.Port = port
	return err
}

// portOf reads the number of a port.
func portOf(n *yaml.Node) (int, error) {
	port, err := strconv.Atoi(n.Value)
	if err != nil || port < 1 || port > 65535 {
		return 0, fmt.Errorf("expected auto, or a port from 1 to 65535, found %q", n.Value)
	}
	return port, nil
}

// Ready is when a process can be asked: when its port is open, or when a path answers with a 2xx.
type Ready struct {
	Get string `yaml:"get"` // path; "" is its port alone
}

// DecodeNode reads tcp, or {get: PATH}.
func (r *Ready) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		if n.Value != "tcp" {
			return fmt.Errorf("expected tcp, or {get: /health}, found %q", n.Value)
		}
		return nil
	}
	type plain Ready
	if err := f.Decode(n, (*plain)(r)); err != nil {
		return err
	}
	if !strings.HasPrefix(r.Get, "/") {
		return fmt.Errorf("get: %q is not a path; write it as in /health", r.Get)
	}
	return nil
}
