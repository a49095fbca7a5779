package stack

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"onedebit/scenarios/targets"
)

// For are the servers of a run with a target: what was asked for, what the target insists on, and nothing that it does not
// use. An error says what of the target this runtime cannot do, or what was asked for in vain, and what to do instead.
func (r *Runtime) For(t *targets.Target, asked Servers) (Servers, error) {
	if t.TakesPayments().Role != "" {
		return r.Servers(asked) // a role of this binary takes whatever it is given
	}
	if r.unfit != nil {
		if why := r.unfit(t); why != "" {
			return asked, fmt.Errorf("target %s cannot be run in the runtime %s: %s", t.Name, r.Name, why)
		}
	}
	var errs []error
	for _, end := range []struct {
		link, flag string
		server     *string
	}{{DBLink, "db", &asked.DB}, {CacheLink, "cache", &asked.Cache}, {QueueLink, "queue", &asked.Queue}} {
		engine, used := engineOf(t, end.link)
		given, _, isURL := strings.Cut(*end.server, "://")
		if isURL && given == "amqp" {
			given = "rabbitmq"
		}
		switch {
		case !used && *end.server != "":
			errs = append(errs, fmt.Errorf("--%s: target %s names no such server; leave the flag out, or name it in the target file", end.flag, t.Name))
		case !used:
		case engine == targets.SQLite && *end.server != "":
			errs = append(errs, fmt.Errorf("--%s: target %s keeps its payments in a file; leave the flag out", end.flag, t.Name))
		case engine == "" || given == engine:
		case *end.server != "":
			errs = append(errs, fmt.Errorf("--%s: target %s needs %s, not %s", end.flag, t.Name, engine, given))
		case r == Docker:
			*end.server = engine
		case engine == "postgres", engine == "mysql":
			errs = append(errs, fmt.Errorf("target %s needs %s: give a server with --%s %s://user:password@127.0.0.1:PORT/name; the database in it is made and removed by each experiment", t.Name, engine, end.flag, engine))
		case engine == "rabbitmq":
			errs = append(errs, fmt.Errorf("target %s needs RabbitMQ: give a server with --%s amqp://user:password@127.0.0.1:5672/", t.Name, end.flag))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return asked, err
	}
	out, err := r.Servers(asked)
	for _, link := range []string{DBLink, CacheLink, QueueLink} {
		if engine, used := engineOf(t, link); !used || engine == targets.SQLite {
			*out.on(link) = ""
		}
	}
	return out, err
}

// engineOf is the kind of server at the end of a link, "" for any, and whether the target uses one at all.
func engineOf(t *targets.Target, link string) (engine string, used bool) {
	if link == DBLink {
		if t.Database == nil {
			return "", false
		}
		return t.Database.Engine, true
	}
	if l := t.Links[link]; l != nil {
		return l.Engine, true
	}
	return "", false
}

// unfitEmbedded says what of a target cannot be done on this machine itself, or "".
func unfitEmbedded(t *targets.Target) string {
	for _, p := range t.Processes {
		switch {
		case p.Image != "":
			return fmt.Sprintf("process %s is an image; --runtime docker runs it, or say with run: how it is started here", p.Name)
		case p.URL == "" && len(hostNames(t, p)) > 0 && cannotHide() != "":
			return cannotHide()
		}
	}
	return ""
}

// unfitDocker says what of a target cannot be done in containers, or "".
func unfitDocker(t *targets.Target) string {
	for _, p := range t.Processes {
		switch {
		case p.URL != "":
			return fmt.Sprintf("process %s runs already, where containers do not reach; leave --runtime docker out", p.Name)
		case p.Image == "":
			return fmt.Sprintf("process %s is started by a command; name an image of it (image: NAME), or leave --runtime docker out", p.Name)
		}
	}
	if d := t.Database; d != nil && d.Engine == targets.SQLite {
		return "its database is a file in its container, which cannot be read from here; leave --runtime docker out"
	}
	for _, name := range t.LinkNames() {
		if t.Links[name].Serve != "" {
			return fmt.Sprintf("the pages of link %s are served on this machine; leave --runtime docker out", name)
		}
	}
	return ""
}

// RemoteOf are the hosts of processes of a target that run already and are not on this machine.
func RemoteOf(t *targets.Target) (hosts []string) {
	for _, p := range t.Processes {
		if u, err := url.Parse(p.URL); err == nil && u.Host != "" && !slices.Contains(hosts, u.Hostname()) && far(u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// far says whether a host is not this machine.
func far(host string) bool {
	return host != "localhost" && !strings.HasPrefix(host, "127.") && host != "::1"
}
