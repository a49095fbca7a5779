package stack

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/rs/zerolog"

	"onedebit/scenarios/stack/wire"
)

// dialWait bounds how long a connection waits for the server behind a proxy.
const dialWait = 10 * time.Second

// downWait bounds how long a proxy that is going down waits for connections that are only just beginning.
const downWait = 5 * time.Second

// Proxies are the proxies of one experiment: an embedded Toxiproxy without its HTTP interface.
type Proxies struct {
	server *toxiproxy.ApiServer

	mu     sync.Mutex
	byName map[string]*Proxy
	closed bool
}

// ProxyConfig says what a proxy connects.
type ProxyConfig struct {
	Name      string         `json:"name"`      // of the link
	Listen    string         `json:"listen"`    // address; port 0 for one that the kernel chooses
	Upstreams []string       `json:"upstreams"` // addresses of servers, which take turns from connection to connection
	Protocol  *wire.Protocol `json:"protocol"`  // written down by its name
	// Certificate is shown to clients, which speak TLS then; servers are spoken to in plain text.
	Certificate *Certificate `json:"certificate,omitempty"`
}

// port is the one that it listens on; 0 for one that the kernel chooses.
func (c *ProxyConfig) port() int {
	_, port, _ := net.SplitHostPort(c.Listen)
	n, _ := strconv.Atoi(port)
	return n
}

// NewProxies starts without any proxy.
func NewProxies() *Proxies {
	return &Proxies{
		server: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		byName: map[string]*Proxy{},
	}
}

// Add starts a proxy with a tap that tells every message to record (see NewTap).
func (ps *Proxies) Add(cfg ProxyConfig, record func(Seen)) (*Proxy, error) {
	if cfg.Name == "" || len(cfg.Upstreams) == 0 || slices.Contains(cfg.Upstreams, "") || cfg.Protocol == nil {
		return nil, fmt.Errorf("adding proxy %q: name, upstreams and protocol must be given", cfg.Name)
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch {
	case ps.closed:
		return nil, fmt.Errorf("adding proxy %s: the proxies are closed", cfg.Name)
	case ps.byName[cfg.Name] != nil:
		return nil, fmt.Errorf("adding proxy %s: there is one of that name", cfg.Name)
	}
	shown, err := cfg.Certificate.tlsConfig()
	if err != nil {
		return nil, fmt.Errorf("adding proxy %s: %w", cfg.Name, err)
	}
	p := &Proxy{
		cfg:    cfg,
		tls:    shown,
		tap:    NewTap(cfg.Name, cfg.Protocol, record),
		server: ps.server,
		links:  toxiproxy.NewProxy(ps.server, cfg.Name, cfg.Listen, cfg.Upstreams[0]),
		conns:  map[*tapConn]struct{}{},
		toxics: map[string]*armedToxic{},
		addr:   cfg.Listen,
	}
	p.id = tapped.add(p)
	if err := errors.Join(p.addTap(), p.Up(context.Background())); err != nil {
		tapped.remove(p.id)
		return nil, fmt.Errorf("adding proxy %s: %w", cfg.Name, err)
	}
	ps.byName[cfg.Name] = p
	return p, nil
}

// Close closes all proxies. It can be called twice.
func (ps *Proxies) Close() {
	ps.mu.Lock()
	list := make([]*Proxy, 0, len(ps.byName))
	for _, p := range ps.byName {
		list = append(list, p)
	}
	ps.closed = true
	ps.mu.Unlock()
	for _, p := range list {
		p.Close()
	}
}

// Proxy is a Link whose proxy is in this process. It carries the connections of one link through Toxiproxy's toxics, of which the tap is the first.
//
// It accepts and connects itself and leaves the rest to Toxiproxy, because only the one who has the sockets can end a
// connection with a RST at one message and let all others end as they would without a proxy. Its methods may be used by
// many goroutines.
type Proxy struct {
	cfg    ProxyConfig
	tls    *tls.Config // nil where clients speak plain text
	id     string
	tap    *Tap
	server *toxiproxy.ApiServer
	links  *toxiproxy.Proxy // holds the toxics; never started

	turns    sync.Mutex // held while it is brought up or down
	starts   sync.Mutex // held while a connection is being joined to its flows
	starting *tapConn

	mu       sync.Mutex
	addr     string
	hold     *reservation // keeps the address while nobody listens
	listener net.Listener // nil while it is down
	stop     context.CancelFunc
	accepted int
	conns    map[*tapConn]struct{}
	closed   bool
	toxics   map[string]*armedToxic
	running  sync.WaitGroup
	carried  sync.WaitGroup // connections with flows that have not come to an end
}

// Address is where the proxy listens. It stays the same while the proxy is down.
func (p *Proxy) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.addr
}

// Arm puts a rule in force, as Link.Arm says.
func (p *Proxy) Arm(_ context.Context, r Rule) (Armed, error) {
	a, err := p.tap.Arm(r)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// addTap puts a toxic of the tap's into each direction, before there is any connection.
func (p *Proxy) addTap() error {
	for name, dir := range tapStreams {
		toxic := fmt.Sprintf(`{"name": "tap_%s", "type": %q, "stream": %q, "toxicity": 1, "attributes": {"id": %q, "dir": %q}}`,
			name, tapToxicType, name, p.id, dir)
		if _, err := p.links.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return fmt.Errorf("tapping its %s: %w", name, err)
		}
	}
	return nil
}

// Up listens again at the same address. It does nothing where the proxy is up.
func (p *Proxy) Up(context.Context) error {
	p.turns.Lock()
	defer p.turns.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("bringing up proxy %s: it is closed", p.cfg.Name)
	}
	if p.listener != nil {
		return nil
	}
	if p.hold == nil {
		p.hold, p.addr = reserve(p.addr)
	}
	ln, err := net.Listen("tcp", p.addr)
	if err != nil {
		return fmt.Errorf("bringing up proxy %s: %w", p.cfg.Name, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.addr, p.listener, p.stop = ln.Addr().String(), ln, stop
	p.running.Go(func() { p.serve(ctx, ln) })
	return nil
}

// Down refuses new connections and closes those that there are. It does nothing where the proxy is down.
func (p *Proxy) Down(context.Context) error {
	p.turns.Lock()
	defer p.turns.Unlock()
	p.mu.Lock()
	ln, stop := p.listener, p.stop
	p.listener = nil
	conns := make([]*tapConn, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	p.mu.Unlock()
	if ln == nil {
		return nil
	}
	_ = ln.Close()
	stop()
	for _, c := range conns {
		c.abort()
	}
	ctx, cancel := context.WithTimeout(context.Background(), downWait)
	defer cancel()
	_ = within(ctx, func() error { p.running.Wait(); return nil })
	return nil
}

// Close ends the proxy for good: held messages are lost, connections are closed, the address is given back. All messages
// have been told when it returns, unless a connection cannot be ended in time. It can be called twice.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	toxics := make([]*armedToxic, 0, len(p.toxics))
	for _, t := range p.toxics {
		toxics = append(toxics, t)
	}
	p.mu.Unlock()
	// A toxic that sits on bytes while its connection is closed never comes back from handing them on.
	for _, t := range toxics {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		_ = t.Remove(ctx)
		cancel()
	}
	_ = p.Down(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), downWait)
	defer cancel()
	_ = within(ctx, func() error { p.carried.Wait(); return nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold.give()
	p.hold = nil
	tapped.remove(p.id)
}

// serve accepts connections until the listener is closed.
func (p *Proxy) serve(ctx context.Context, ln net.Listener) {
	for {
		client, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // one connection that did not come about
		}
		p.mu.Lock()
		p.accepted++
		number := p.accepted
		p.mu.Unlock()
		p.running.Go(func() { p.carry(ctx, number, client.(*net.TCPConn)) })
	}
}

// carry connects a client to the server and starts the flows between them. Where the server cannot be reached the client
// gets a RST: it is connected already and cannot be refused any more.
func (p *Proxy) carry(ctx context.Context, number int, tcp *net.TCPConn) {
	client := clientEnd(tcp, p.tls)
	upstream, err := p.dial(ctx, number)
	if err != nil {
		_ = client.SetLinger(0)
		_ = client.Close()
		return
	}
	p.starts.Lock()
	defer p.starts.Unlock()
	c := p.tap.newConn(number, nil, client, upstream.(*net.TCPConn))
	c.done = func() {
		p.carried.Done()
		time.AfterFunc(flushGrace, func() { p.drop(c) })
	}
	p.mu.Lock()
	up := p.listener != nil && ctx.Err() == nil
	if up {
		p.conns[c] = struct{}{}
		p.carried.Add(1)
	}
	p.mu.Unlock()
	if !up {
		c.abort()
		return
	}
	p.starting = c
	name := fmt.Sprintf("%d", number)
	p.links.Toxics.StartLink(p.server, name+"upstream", client, c.ends[1], stream.Upstream)
	p.links.Toxics.StartLink(p.server, name+"downstream", c.ends[1], client, stream.Downstream)
	p.starting = nil
}

// dial connects to the server whose turn it is. Where that one refuses the next is taken, as a load balancer does.
func (p *Proxy) dial(ctx context.Context, number int) (conn net.Conn, err error) {
	d := net.Dialer{Timeout: dialWait}
	for i := range p.cfg.Upstreams {
		conn, err = d.DialContext(ctx, "tcp", p.cfg.Upstreams[(number-1+i)%len(p.cfg.Upstreams)])
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func (p *Proxy) drop(c *tapConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}
