package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"onedebit/scenarios/decode"
)

// Bounds of what the harness may ask for.
const (
	maxControlBody = 1 << 20 // bytes
	maxControlled  = 10_000  // rules and toxics in all
	maxControlWait = time.Minute
)

// toldHeader says with every answer how many events must have been read until all are that came before it.
const toldHeader = "Onedebit-Told"

// proxyServer does what the harness asks of the proxies of this process, and tells it every message.
type proxyServer struct {
	token   string
	banks   []http.Handler // their control APIs, in the order of their paths
	proxies *Proxies
	told    *telling
	over    chan error    // has a value when the events were read to the end, or will not be
	ended   chan struct{} // closed when the proxies are closed and no message can pass any more
	ending  sync.Once

	mu     sync.Mutex
	links  map[string]*Proxy
	rules  map[string]Armed // by link and number
	toxics map[string]ArmedToxic
	calls  map[int64]chan struct{} // that the harness has not made yet
	last   int64                   // number that was given to a rule, toxic or call
	read   bool                    // somebody reads the events
}

func newProxyServer(token string) *proxyServer {
	return &proxyServer{
		token:   token,
		proxies: NewProxies(), told: newTelling(), over: make(chan error, 1), ended: make(chan struct{}),
		links: map[string]*Proxy{}, rules: map[string]Armed{}, toxics: map[string]ArmedToxic{}, calls: map[int64]chan struct{}{},
	}
}

// add starts the proxy of a link.
func (s *proxyServer) add(cfg ProxyConfig) error {
	p, err := s.proxies.Add(cfg, func(m Seen) { s.told.message(cfg.Name, m) })
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[cfg.Name] = p
	return nil
}

// controlCounts are how often a rule or toxic was felt.
type controlCounts struct {
	Fired   int `json:"fired"`
	Holding int `json:"holding"`
}

// controlMade names what was made.
type controlMade struct {
	ID string `json:"id"`
}

// controlToxic is a toxic to be put in force.
type controlToxic struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Attributes map[string]any `json:"attributes"`
}

// controlError is the answer to what could not be done.
type controlError struct {
	Error string `json:"error"`
}

// errNotThere is the error of a name in a path that means nothing here.
var errNotThere = errors.New("not there")

// handler is the control interface. All but the events are short exchanges of JSON. Anybody may ask whether it is ready.
func (s *proxyServer) handler() http.Handler {
	open, mux := http.NewServeMux(), http.NewServeMux()
	open.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready\n") })
	open.Handle("/", guarded(s.token, mux))
	for i, bank := range s.banks {
		mux.Handle(bankPath(i)+"/", bank)
	}
	mux.HandleFunc("GET /control/events", s.events)
	for path, do := range map[string]func(*http.Request) (any, error){
		"GET /control/links":                            s.list,
		"GET /control/told":                             func(*http.Request) (any, error) { return nil, nil },
		"POST /control/links/{link}/up":                 s.up,
		"POST /control/links/{link}/down":               s.down,
		"POST /control/links/{link}/rules":              s.arm,
		"GET /control/links/{link}/rules/{id}":          s.ruled(counted),
		"GET /control/links/{link}/rules/{id}/wait":     s.ruled(awaited),
		"POST /control/links/{link}/rules/{id}/release": s.ruled(func(r *http.Request, a Armed) (any, error) { return nil, a.Release(r.Context()) }),
		"DELETE /control/links/{link}/rules/{id}":       s.ruled(func(r *http.Request, a Armed) (any, error) { return nil, a.Remove(r.Context()) }),
		"POST /control/links/{link}/toxics":             s.toxic,
		"GET /control/links/{link}/toxics/{id}":         s.toxicated(func(r *http.Request, a ArmedToxic) (any, error) { return toxicCounts(r.Context(), a) }),
		"DELETE /control/links/{link}/toxics/{id}":      s.toxicated(func(r *http.Request, a ArmedToxic) (any, error) { return nil, a.Remove(r.Context()) }),
		"POST /control/calls/{id}/done":                 s.done,
		"POST /control/close":                           s.close,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, do) })
	}
	return open
}

// answer answers with what could be done, or why it could not, and with how much had been told by then.
func (s *proxyServer) answer(w http.ResponseWriter, r *http.Request, do func(*http.Request) (any, error)) {
	r.Body = http.MaxBytesReader(w, r.Body, maxControlBody)
	out, err := do(r)
	status := http.StatusOK
	switch {
	case errors.Is(err, errNotThere):
		out, status = controlError{err.Error()}, http.StatusNotFound
	case err != nil:
		out, status = controlError{err.Error()}, http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(toldHeader, strconv.FormatInt(s.told.count(), 10))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

// readControl reads what the harness asks for, strictly.
func readControl(r *http.Request, what string, into any) error {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = strictJSON(data, into)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", what, err)
	}
	return nil
}

func (s *proxyServer) link(r *http.Request) (*Proxy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.PathValue("link")
	if p := s.links[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w: %s", errNotThere, decode.UnknownName("link", name, slices.Collect(maps.Keys(s.links))))
}

// list is where the links listen, by name.
func (s *proxyServer) list(*http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for name, p := range s.links {
		out[name] = p.Address()
	}
	return out, nil
}

func (s *proxyServer) up(r *http.Request) (any, error) {
	p, err := s.link(r)
	if err != nil {
		return nil, err
	}
	return nil, p.Up(r.Context())
}

func (s *proxyServer) down(r *http.Request) (any, error) {
	p, err := s.link(r)
	if err != nil {
		return nil, err
	}
	return nil, p.Down(r.Context())
}

// number gives the next number, where there is room for one more rule or toxic.
func (s *proxyServer) number(link string) (key, id string, err error) {
	if len(s.rules)+len(s.toxics) >= maxControlled {
		return "", "", fmt.Errorf("arming on link %s: there are %d rules and toxics already", link, maxControlled)
	}
	s.last++
	id = strconv.FormatInt(s.last, 10)
	return link + "/" + id, id, nil
}

func (s *proxyServer) arm(r *http.Request) (any, error) {
	p, err := s.link(r)
	if err != nil {
		return nil, err
	}
	var rule Rule
	if err := readControl(r, "a rule", &rule); err != nil {
		return nil, err
	}
	if do, ok := rule.Do.(remoteDo); ok {
		rule.Do = s.do(do)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, id, err := s.number(p.cfg.Name)
	if err == nil {
		s.rules[key], err = p.Arm(r.Context(), rule)
	}
	if err != nil {
		delete(s.rules, key)
		return nil, err
	}
	return controlMade{id}, nil
}

// ruled finds the rule that a path names.
func (s *proxyServer) ruled(do func(*http.Request, Armed) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		s.mu.Lock()
		a := s.rules[r.PathValue("link")+"/"+r.PathValue("id")]
		s.mu.Unlock()
		if a == nil {
			return nil, fmt.Errorf("rule %s on link %s: %w", r.PathValue("id"), r.PathValue("link"), errNotThere)
		}
		return do(r, a)
	}
}

func counted(r *http.Request, a Armed) (any, error) {
	fired, holding, err := a.Counts(r.Context())
	return controlCounts{fired, holding}, err
}

// awaited is the counts when they are what the harness waits for, or when it wants to wait no longer.
func awaited(r *http.Request, a Armed) (any, error) {
	var n [3]int64
	for i, key := range []string{"fired", "holding", "timeout_ns"} {
		var err error
		if n[i], err = strconv.ParseInt(r.URL.Query().Get(key), 10, 64); err != nil || n[i] < 0 {
			return nil, fmt.Errorf("waiting: %s must be a whole number, 0 or more", key)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(time.Duration(n[2]), maxControlWait))
	defer cancel()
	if err := a.Wait(ctx, int(n[0]), int(n[1])); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return counted(r, a)
}

func (s *proxyServer) toxic(r *http.Request) (any, error) {
	p, err := s.link(r)
	if err != nil {
		return nil, err
	}
	var toxic controlToxic
	if err := readControl(r, "a toxic", &toxic); err != nil {
		return nil, err
	}
	s.mu.Lock()
	key, id, err := s.number(p.cfg.Name)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	armed, err := p.Toxic(r.Context(), toxic.Name, toxic.Type, toxic.Stream, toxic.Attributes)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.toxics[key] = armed
	return controlMade{id}, nil
}

// toxicated finds the toxic that a path names.
func (s *proxyServer) toxicated(do func(*http.Request, ArmedToxic) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		s.mu.Lock()
		a := s.toxics[r.PathValue("link")+"/"+r.PathValue("id")]
		s.mu.Unlock()
		if a == nil {
			return nil, fmt.Errorf("toxic %s on link %s: %w", r.PathValue("id"), r.PathValue("link"), errNotThere)
		}
		return do(r, a)
	}
}

func toxicCounts(ctx context.Context, a ArmedToxic) (any, error) {
	fired, err := a.Fired(ctx)
	return controlCounts{Fired: fired}, err
}

// events is one long answer. There is one reader, and the role ends with it.
func (s *proxyServer) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	second := s.read
	s.read = true
	s.mu.Unlock()
	if second {
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(controlError{"the events are being read already"})
		return
	}
	if err := s.told.write(r.Context(), w); err != nil {
		s.over <- errors.Join(errHarnessGone, err)
		panic(http.ErrAbortHandler) // cut, so that nobody takes it for the end
	}
	s.over <- nil
}

// do has the harness call its functions.
func (s *proxyServer) do(named remoteDo) Do {
	var out Do
	if named.Before != 0 {
		out.Before = func() { s.call(named.Before) }
	}
	if named.After != 0 {
		out.After = func() { s.call(named.After) }
	}
	return out
}

// call returns when the harness has made the call, or when the proxies are closed and nothing can pass any more.
func (s *proxyServer) call(do uint64) {
	s.mu.Lock()
	s.last++
	n, made := s.last, make(chan struct{})
	s.calls[n] = made
	s.mu.Unlock()
	s.told.tell(event{Call: &eventCall{N: n, Do: do}})
	select {
	case <-made:
	case <-s.ended:
	}
}

func (s *proxyServer) done(r *http.Request) (any, error) {
	n, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.calls[n]
	if made == nil {
		return nil, fmt.Errorf("call %s: %w", r.PathValue("id"), errNotThere)
	}
	delete(s.calls, n)
	close(made)
	return nil, nil
}

// close ends all links, and with them the events.
func (s *proxyServer) close(*http.Request) (any, error) {
	s.proxies.Close()
	s.told.finish()
	return nil, nil
}
