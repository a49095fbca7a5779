package stack

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onedebit/scenarios/targets"
)

// HostsRoleName is the name of the role that puts a command behind a hosts file of its own and becomes that command.
const HostsRoleName = "hosts"

// HostsRole is what that role is told.
type HostsRole struct {
	Files map[string]string `json:"files"` // by the place of the system that each stands in for; a folder for a folder
	Args  []string          `json:"args"`
}

// hostNames are the host names that lead somewhere else for a process, with the name of the bank or link.
func hostNames(t *targets.Target, p *targets.Process) map[string]string {
	out := map[string]string{}
	for _, bank := range t.BankNames() {
		for _, name := range t.Banks[bank].Names {
			out[name] = bank
		}
	}
	for _, link := range t.LinkNames() {
		for _, name := range t.Links[link].Names {
			out[name] = link
		}
	}
	maps.Copy(out, p.Hosts)
	return out
}

// behindHosts has a process run where names that are fixed in its code lead to links, and no name reaches a resolver.
func (s *Stack) behindHosts(p *targets.Process, out *prepared) error {
	names := hostNames(s.Target, p)
	if len(names) == 0 {
		return nil
	}
	if why := cannotHide(); why != "" {
		return fmt.Errorf("names fixed in the code of %s (%s) cannot be led elsewhere: %s", p.Name, strings.Join(slices.Sorted(maps.Keys(names)), ", "), why)
	}
	files, err := s.nameFiles(p, names, out.vars)
	if err != nil {
		return err
	}
	role := HostsRole{Files: files, Args: out.args}
	out.args = append(slices.Clone(s.Self), HostsRoleName)
	out.config = func() (string, error) { return told("", role) }
	out.attributes = hiddenAttributes
	return nil
}

// nameDaemon is where the C library finds the daemon that it asks for names before any file.
const nameDaemon = "/run/nscd"

// nowhere is an address at which no resolver answers.
const nowhere = "127.255.255.254"

var hostsOrder = regexp.MustCompile(`(?m)^hosts:.*$`)

// nameFiles writes what stands in for the system's own files about names. Names that are not in the hosts file are asked of
// a resolver that is not there.
func (s *Stack) nameFiles(p *targets.Process, names map[string]string, vars targets.Vars) (map[string]string, error) {
	folder := filepath.Join(vars["dir"].(string), "names-"+p.Name)
	if err := os.MkdirAll(filepath.Join(folder, "nothing"), 0o755); err != nil {
		return nil, err
	}
	hosts := "127.0.0.1 localhost\n::1 localhost\n"
	if own, err := os.Hostname(); err == nil {
		hosts += "127.0.0.1 " + own + "\n"
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		host, known := vars[names[name]+".host"]
		if !known {
			return nil, fmt.Errorf("hosts: %s leads to %s, which this stack does not have", name, names[name])
		}
		hosts += fmt.Sprintf("%s %s\n", host, name)
	}
	texts := map[string]string{"/etc/hosts": hosts, "/etc/resolv.conf": "nameserver " + nowhere + "\noptions timeout:1 attempts:1\n"}
	if order, err := os.ReadFile("/etc/nsswitch.conf"); err == nil {
		texts["/etc/nsswitch.conf"] = hostsOrder.ReplaceAllString(string(order), "hosts: files dns")
	}
	files := map[string]string{}
	for place, text := range texts {
		if _, err := os.Stat(place); err != nil {
			continue
		}
		files[place] = filepath.Join(folder, filepath.Base(place))
		if err := os.WriteFile(files[place], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	// A daemon that looks names up for others is not to be found.
	if info, err := os.Stat(nameDaemon); err == nil && info.IsDir() {
		files[nameDaemon] = filepath.Join(folder, "nothing")
	}
	if files["/etc/hosts"] == "" {
		return nil, fmt.Errorf("hosts: this machine has no /etc/hosts")
	}
	return files, nil
}
