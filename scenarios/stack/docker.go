package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// Docker is every part in a container on a network of the run: the service, the bank and the proxies from an image of this
// very binary, and real servers beside them.
var Docker = register(Runtime{
	Name:      "docker",
	Doc:       "every part in a container: the service, the bank and the proxies from an image of this very binary, with PostgreSQL or MySQL, Redis, and RabbitMQ or Kafka",
	Servers:   dockerServers,
	Links:     dockerLinks,
	Abilities: dockerAbilities,
	Open:      openDocker,
	Examine:   examineDocker,
	unfit:     unfitDocker,
})

// dockerLinks are all but those to servers that the target does not use.
func dockerLinks(servers Servers) []string {
	out := []string{BankLink, CallbackLink, ClientLink}
	for _, link := range []string{CacheLink, DBLink, QueueLink} {
		if *servers.on(link) != "" {
			out = append(out, link)
		}
	}
	slices.Sort(out)
	return out
}

// dockerAbilities hold the restart of RabbitMQ only: a Kafka broker of this very binary keeps nothing.
func dockerAbilities(servers Servers) []string {
	abilities := []string{Instances, Clock, Packets, RestartCache, RestartDB}
	if servers.Queue != "kafka" {
		abilities = append(abilities, RestartQueue)
	}
	return abilities
}

// Labels of everything that a run makes on an engine. A run that lives holds the lock of its working folder, which can be
// tried by whoever has the same machine and the same folders.
const (
	ownLabel     = "onedebit.self"
	runLabel     = "onedebit.run"
	hostLabel    = "onedebit.host"
	workdirLabel = "onedebit.workdir"
)

// dockerSite is the network of a run and the servers that its experiments share.
type dockerSite struct {
	run    Run
	engine *engine
	image  string
	shared shared
	number atomic.Int32 // of experiments

	discarded sync.WaitGroup // containers that are being removed
	mu        sync.Mutex
	trouble   []error // of removing them
}

func openDocker(ctx context.Context, run Run) (Site, error) {
	e, err := dialEngine(ctx)
	if err != nil {
		return nil, err
	}
	d := &dockerSite{run: run, engine: e, image: run.Images[ownKind]}
	_ = mysql.SetLogger(&mysql.NopLogger{}) // it would tell on the screen of every try to reach a server that is only coming up
	if err := e.name(run.Workdir); err != nil {
		return nil, errors.Join(err, e.close())
	}
	things := []func() error{
		func() (err error) {
			// The network first: where it is, nobody prunes images.
			if err := e.openNetwork(ctx); err != nil {
				return err
			}
			if d.image != "" {
				return e.pull(ctx, ownKind, d.image)
			}
			d.image, err = e.haveOwnImage(ctx, run.Self[0])
			return err
		},
	}
	for _, kind := range []string{run.Servers.DB, run.Servers.Cache, run.Servers.Queue} {
		if kind == "" {
			continue // the target does not use one
		}
		things = append(things, func() error { return e.pull(ctx, kind, run.Images.of(kind, serverKinds[kind].image)) })
	}
	if err := together(things...); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// name gives what will be made the name and the labels of a run, and notes in its folder that there is something to be
// found.
func (e *engine) name(w *Workdir) error {
	name := strings.TrimPrefix(filepath.Base(w.Path), workPrefix)
	e.labels = map[string]string{runLabel: name, hostLabel: thisHost(), workdirLabel: w.Path}
	e.prefix = "onedebit-" + name + "-"
	return w.onEngine()
}

// thisHost tells this machine, since it was started, from others that may use the same engine.
func thisHost() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	name, _ := os.Hostname()
	return strings.TrimSpace(string(boot)) + "/" + name
}

// Close removes everything that the run has made, whatever it knows of it.
func (d *dockerSite) Close() error {
	d.discarded.Wait()
	for _, s := range d.shared.list {
		if s != nil && s.stdin != nil {
			_ = s.stdin.Close()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(append(d.trouble, d.engine.sweep(d.engine.labels), d.engine.close())...)
}

// dockerStack is one experiment being brought up.
type dockerStack struct {
	*Stack
	site      *dockerSite
	number    int32
	servers   []*server
	proxy     ProxyRole
	proxies   *box              // where that role runs
	published map[string]string // links of clients: where they are published on this machine
}

// Ports inside the containers.
const (
	controlPort   = 7000
	firstLinkPort = 7001
	servicePort   = 8080
	bankPort      = 17001 // of the first bank, which is where the proxies are; those behind it follow
)

func (d *dockerSite) Up(ctx context.Context, spec Spec) (*Stack, error) {
	s := &dockerStack{
		Stack: newStack(d.run, spec), site: d, number: d.number.Add(1), published: map[string]string{},
	}
	if err := s.bringUp(ctx); err != nil {
		return s.Stack, errors.Join(err, s.Down())
	}
	return s.Stack, nil
}

// at is the name of one of the experiment's containers on the network.
func (s *dockerStack) at(role string) string { return fmt.Sprintf("%s-%d", role, s.number) }

func (s *dockerStack) bringUp(ctx context.Context) (err error) {
	if s.servers, err = s.site.servers(ctx); err != nil {
		return err
	}
	if err := s.ownServers(ctx); err != nil {
		return err
	}
	for _, server := range s.servers {
		if server != nil {
			*s.Servers.on(server.kind.link) = server.direct
		}
	}
	main := s.Target.TakesPayments()
	for n := range s.count(main) {
		s.listens[main.Name] = append(s.listens[main.Name], fmt.Sprintf("%s:%d", s.at(instanceName(main.Name, n+1)), portOf(main)))
	}
	for _, p := range s.Target.Processes {
		if p != main && p.Reachable() {
			s.listens[p.Name] = []string{fmt.Sprintf("%s:%d", s.at(p.Name), portOf(p))}
		}
	}
	vars := targets.Vars{"dir": "/tmp", "cache.prefix": "", "queue.prefix": "", "queue.topic": s.Target.Queue.Topic}
	if err := s.makeAuthority(); err != nil {
		return err
	}
	if s.authority != nil {
		vars[caFile] = caInContainer
	}
	s.command = s.runInContainer
	for _, part := range []func(context.Context, proxied, targets.Vars) error{s.upServiceLinks, s.planBanks, s.upDatabase, s.upCache, s.upQueue} {
		if err := part(ctx, s.plan, vars); err != nil {
			return err
		}
	}
	if err := s.planClients(s.listens[main.Name]); err != nil {
		return err
	}
	if err := s.upContainers(ctx, vars); err != nil {
		return err
	}
	s.Rows, err = targets.OpenRows(s.Target, s.rowsDriver, s.rowsDSN, targets.Ways{})
	if err != nil {
		return errors.Join(ErrNotUp, err)
	}
	s.onClose(s.Rows.Close)
	return nil
}

// ownServers puts servers of the experiment's own in the place of shared ones that it is going to restart.
func (s *dockerStack) ownServers(ctx context.Context) error {
	s.servers, s.restarts = slices.Clone(s.servers), map[string]func(context.Context, bool) error{}
	var things []func() error
	for i, shared := range s.servers {
		if shared == nil {
			continue
		}
		if link := shared.kind.link; s.own(link) {
			things = append(things, func() (err error) {
				s.servers[i], err = s.site.upServer(ctx, *s.site.run.Servers.on(link), s.at(link), true)
				return err
			})
		}
	}
	err := together(things...)
	for i, shared := range s.site.shared.list {
		if own := s.servers[i]; own != nil && own != shared {
			s.onClose(func() error { return s.site.engine.remove(own.id) })
			s.restarts[own.kind.link] = func(ctx context.Context, lose bool) error { return s.site.restart(ctx, own, lose) }
		}
	}
	return err
}

// plan notes a proxy that is to be started, and says where the other containers find it. Where it stands before one of the
// servers, its upstream is that server's address on the network.
func (s *dockerStack) plan(link string, protocol *wire.Protocol, upstreams ...string) (string, error) {
	for _, server := range s.servers {
		if server != nil && server.address == upstreams[0] {
			upstreams = []string{server.inner()}
		}
	}
	if strings.HasPrefix(link, ClientLink) {
		address, err := s.Loopback.Fixed()
		if err != nil {
			return "", errors.Join(ErrNotUp, err)
		}
		s.published[link] = address
	}
	want, listen := s.insists(link), fmt.Sprintf(":%d", firstLinkPort+len(s.proxy.Links))
	if want.port > 0 {
		listen = fmt.Sprintf(":%d", want.port)
	}
	for _, other := range s.proxy.Links {
		if other.Listen == listen {
			return "", fmt.Errorf("links %s and %s insist on the same port %s, which one container of proxies cannot have twice: %w", other.Name, link, listen, ErrNotUp)
		}
	}
	cfg := ProxyConfig{Name: link, Listen: listen, Upstreams: upstreams, Protocol: protocol}
	if want.tls {
		var err error
		if cfg.Certificate, err = s.authority.certify(append(want.names, s.at("proxy"))...); err != nil {
			return "", err
		}
	}
	s.proxy.Links = append(s.proxy.Links, cfg)
	return s.at("proxy") + listen, nil
}

// planClients plans a way of clients to each instance, past the load balancer, where there are several.
func (s *dockerStack) planClients(services []string) error {
	s.clients = []string{"http://" + s.published[ClientLink]}
	for i, service := range services {
		if len(services) == 1 {
			break
		}
		if _, err := s.plan(instanceLink(i+1), wire.HTTP, service); err != nil {
			return err
		}
		s.clients = append(s.clients, "http://"+s.published[instanceLink(i+1)])
	}
	return nil
}

func (s *dockerStack) planBanks(_ context.Context, place proxied, vars targets.Vars) error {
	s.chooseBanks()
	for _, b := range s.banks {
		role, err := s.bankRole(b.name, vars)
		if err != nil {
			return err
		}
		role.API = fmt.Sprintf(":%d", bankPort+len(s.proxy.Banks))
		at, err := place(b.link, wire.HTTP, localhost+role.API)
		if err != nil {
			return err
		}
		s.bankVars(b, role, at, vars)
		s.proxy.Banks = append(s.proxy.Banks, role)
	}
	return nil
}

// upContainers makes the containers side by side, and starts the service when what it needs is there.
func (s *dockerStack) upContainers(ctx context.Context, vars targets.Vars) error {
	s.proxy.Control, s.proxy.Token = fmt.Sprintf(":%d", controlPort), s.token
	proxy, err := s.box("proxy", "proxy", controlPort, "/readyz", func() (string, error) { return told("", s.proxy) })
	if err != nil {
		return err
	}
	s.proxies = proxy
	s.place("proxies, control", "http://"+proxy.address)
	for _, link := range s.proxy.Links {
		if address := s.published[link.Name]; address != "" {
			proxy.part.ports[link.port()] = address
		}
	}
	if err := s.publishBanks(proxy); err != nil {
		return err
	}
	services, err := s.serviceBoxes(vars)
	if err != nil {
		return err
	}
	boxes := append([]*box{proxy}, services...)
	s.onClose(func() error { s.site.discard(boxes); return nil })
	err = together(each(boxes, func(b *box) error {
		if b.before != nil {
			return nil // it has to know first where the proxies are
		}
		return b.make(ctx)
	})...)
	if err != nil {
		return err
	}
	if err := proxy.Start(ctx); err != nil {
		return err
	}
	s.onClose(func() error { s.Bank.close(); return nil })
	if err := s.dialProxies(ctx, proxy.address); err != nil {
		return err
	}
	s.joinBankLinks()
	s.offerKernel(proxy.id)
	if err := s.makeTables(ctx, vars); err != nil {
		return err
	}
	for _, service := range services {
		s.onClose(service.end)
		if err := service.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// each is one thing to do for each container.
func each(boxes []*box, do func(*box) error) (out []func() error) {
	for _, b := range boxes {
		out = append(out, func() error { return do(b) })
	}
	return out
}

// publishBanks says where on this machine the banks beside the proxies are reached.
func (s *dockerStack) publishBanks(proxy *box) error {
	for i, b := range s.banks {
		api, err := s.Loopback.Fixed()
		if err != nil {
			return errors.Join(ErrNotUp, err)
		}
		proxy.part.ports[bankPort+i] = api
		control := proxy.address + bankPath(i)
		s.placeBank(b.place(), api, control)
		s.Bank.each = append(s.Bank.each, newBankAPI(b.name, control, s.token))
	}
	return nil
}

// serviceBoxes are the containers of the service, still to be made.
func (s *dockerStack) serviceBoxes(vars targets.Vars) (out []*box, err error) {
	for _, p := range s.Target.Processes {
		r := &running{Process: p}
		s.processes = append(s.processes, r)
		for n := range s.count(p) {
			b, err := s.serviceBox(p, n+1, vars)
			if err != nil {
				return nil, err
			}
			out, r.instances = append(out, b), append(r.instances, b)
			if p == s.Target.TakesPayments() {
				s.Services = append(s.Services, b)
			}
		}
	}
	return out, nil
}

// serviceBox is the container of an instance of the service, still to be made.
func (s *dockerStack) serviceBox(p *targets.Process, n int, vars targets.Vars) (b *box, err error) {
	name := instanceName(p.Name, n)
	if p.Role != "" {
		own := vars.With(targets.Vars{"listen": fmt.Sprintf(":%d", servicePort), "instance": strconv.Itoa(n)})
		b, err = s.box(name, p.Role, servicePort, p.Ready.Get, func() (string, error) { return s.roleConfig(p, own) })
	} else {
		b, err = s.imageBox(p, n, vars)
	}
	if err != nil {
		return nil, err
	}
	b.journal = s.journal(name)
	b.event = func(what string, pid int, err error) { s.happened(name, what, pid, err) }
	return b, nil
}

// box is one of the experiment's containers, still to be made. What it listens to is published on this machine.
func (s *dockerStack) box(name, role string, port int, ready string, config func() (string, error)) (*box, error) {
	address, err := s.Loopback.Fixed()
	if err != nil {
		return nil, errors.Join(ErrNotUp, err)
	}
	return &box{
		journal: journal{tell: func(string) {}}, event: func(string, int, error) {}, engine: s.site.engine, name: name, config: config,
		address: address, ready: "http://" + address + ready,
		part: part{
			name: s.at(name), image: s.site.image, user: nobody, cmd: append(slices.Clone(s.Self[1:]), role), stdin: true, own: true,
			ports: map[int]string{port: address},
		},
	}, nil
}

// dialProxies reaches the proxies and begins to record what passes them.
func (s *dockerStack) dialProxies(ctx context.Context, control string) error {
	seen := map[string]func(Seen, time.Duration){}
	for _, link := range s.proxy.Links {
		seen[link.Name] = s.seen(link.Name)
		if s.published[link.Name] != "" {
			seen[link.Name] = s.seen(ClientLink)
		}
	}
	proxies, err := DialProxies(ctx, control, s.token, func(link string, m Seen, at time.Time) { seen[link](m, at.Sub(s.Recorder.Start())) })
	if err != nil {
		return err
	}
	s.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), exitWait)
		defer cancel()
		return proxies.Close(ctx)
	})
	for _, link := range s.proxy.Links {
		address := cmp.Or(s.published[link.Name], s.at("proxy")+link.Listen)
		if link.Name != ClientLink && s.published[link.Name] != "" {
			continue // of one instance: no fault is put on it
		}
		if s.links[link.Name], err = proxies.Link(link.Name, address); err != nil {
			return err
		}
	}
	return nil
}
