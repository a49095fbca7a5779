package stack

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
)

// Start is how a process of the service was started, for people who look for what is wrong with that.
type Start struct {
	Name    string
	Command []string // none for one that ran already
	Dir     string
	Env     []string // what the target file gives it
	Ready   string   // what told that it can be asked
	Names   []string // host names that lead elsewhere for it, and where to
}

// Starts are the processes of the service, in the order in which they were started.
func (s *Stack) Starts() (out []Start) {
	for _, r := range s.processes {
		names := hostNames(s.Target, r.Process)
		for n, instance := range r.instances {
			one := Start{Name: instanceName(r.Name, n+1), Ready: s.readyURL(r.Process, n+1)}
			for _, host := range slices.Sorted(maps.Keys(names)) {
				one.Names = append(one.Names, fmt.Sprintf("%s leads to %s", host, s.leads(names[host])))
			}
			if c, mine := instance.(*Child); mine {
				one.Command, one.Dir = c.args, c.dir
				if len(names) > 0 { // it becomes its own command behind its hosts file
					one.Command = r.Run
				}
				for _, pair := range c.env {
					if name, _, _ := strings.Cut(pair, "="); r.Env[name] != "" {
						one.Env = append(one.Env, pair)
					}
				}
			}
			out = append(out, one)
		}
	}
	return out
}

// leads is where a bank or a link is, as a host name leads there.
func (s *Stack) leads(name string) string {
	for _, b := range s.banks {
		if b.name == name {
			name = b.link
		}
	}
	if l := s.links[name]; l != nil {
		host, _, _ := net.SplitHostPort(l.Address())
		return name + " at " + host
	}
	return name
}
