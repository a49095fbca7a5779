package stack

import (
	"bufio"
	"bytes"
	"cmp"
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

// Bounds of the harness's talks with proxies elsewhere.
const (
	remoteTick   = 10 * time.Millisecond // between two questions whether they are there
	remoteAnswer = 30 * time.Second      // for an answer that waits for nothing
	remoteSlice  = 20 * time.Second      // of a wait that is as long as its context allows
	remoteLast   = 2 * time.Second       // for the counts at the end of a wait
	maxAnswer    = 1 << 20               // bytes of an answer
	maxEvent     = 16 << 20              // bytes of an event, in which a label of the size of a message can stand twice
)

// RemoteProxies are the proxies of one experiment in another process or a container, run there by ServeProxies.
// Its methods may be used by many goroutines.
type RemoteProxies struct {
	base    string
	token   string
	client  http.Client
	record  func(link string, m Seen, at time.Time)
	address map[string]string
	hangUp  context.CancelFunc

	mu      sync.Mutex
	read    int64 // events that were read
	changed chan struct{}
	broken  error // why no more can be read
	funcs   map[uint64]func()
	over    chan struct{} // closed when no more events will come
}

// DialProxies waits until the proxies behind a control address are there, which want their token, and reads from then on what they tell. record is
// called for one message at a time with the time at the proxy; it must not call the proxies. Messages on the links wait
// for a record that is slow. An error is trouble of the environment.
func DialProxies(ctx context.Context, control, token string, record func(link string, m Seen, at time.Time)) (*RemoteProxies, error) {
	r := &RemoteProxies{
		base: "http://" + control, token: token, client: http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}},
		record: record, changed: make(chan struct{}), funcs: map[uint64]func(){}, over: make(chan struct{}),
	}
	if err := r.dial(ctx); err != nil {
		r.client.CloseIdleConnections()
		return nil, fmt.Errorf("reaching the proxies at %s: %w: %w", control, ErrNotUp, err)
	}
	return r, nil
}

func (r *RemoteProxies) dial(ctx context.Context) error {
	tick := time.NewTicker(remoteTick)
	defer tick.Stop()
	for {
		_, err := r.ask(ctx, http.MethodGet, "/readyz", nil, nil)
		if err == nil {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
	// The events go on for as long as the experiment, whatever the context of its beginning.
	events, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	r.hangUp = hangUp
	giveUp := context.AfterFunc(ctx, hangUp)
	defer giveUp()
	res, err := r.send(events, http.MethodGet, "/control/events", nil)
	if err == nil && res.StatusCode != http.StatusOK {
		err = refused(res)
	}
	if err != nil {
		hangUp()
		return err
	}
	go r.listen(res.Body)
	if _, err = r.ask(ctx, http.MethodGet, "/control/links", nil, &r.address); err != nil {
		hangUp()
	}
	return err
}

// Link is a link by its name, which its clients reach at an address that the caller knows; where it is empty, at the one
// where the proxy listens.
func (r *RemoteProxies) Link(name, address string) (Link, error) {
	listens, ok := r.address[name]
	if !ok {
		return nil, errors.New(decode.UnknownName("link", name, slices.Collect(maps.Keys(r.address))))
	}
	if address == "" {
		address = listens
	}
	return &remoteLink{proxies: r, name: name, address: address}, nil
}

// CatchUp returns when all has been recorded that was told at the proxies before the call.
func (r *RemoteProxies) CatchUp(ctx context.Context) error {
	return r.call(ctx, http.MethodGet, "/control/told", nil, nil)
}

// Close ends all links and returns when every message has been recorded. An error says that some may be missing. It can be
// called twice.
func (r *RemoteProxies) Close(ctx context.Context) error {
	defer r.client.CloseIdleConnections()
	defer r.hangUp()
	var err error
	select {
	case <-r.over:
	default:
		err = r.call(ctx, http.MethodPost, "/control/close", nil, nil)
	}
	if err == nil {
		select {
		case <-r.over:
		case <-ctx.Done():
			err = fmt.Errorf("waiting for the last that the proxies tell: %w", ctx.Err())
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(err, r.broken)
}

// listen reads what the proxies tell to its end.
func (r *RemoteProxies) listen(body io.ReadCloser) {
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	var err error
	for err == nil && lines.Scan() {
		var e event
		if err = strictJSON(lines.Bytes(), &e); err == nil {
			r.heard(e)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = cmp.Or(err, lines.Err()); err != nil {
		r.broken = fmt.Errorf("reading what the proxies tell: messages may be missing: %w", err)
	}
	close(r.over)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *RemoteProxies) heard(e event) {
	switch {
	case e.Seen != nil:
		r.record(e.Link, *e.Seen, time.Unix(0, e.At))
	case e.Call != nil:
		r.made(*e.Call)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read++
	close(r.changed)
	r.changed = make(chan struct{})
}

// made makes a call beside the reading of events, and says when it is done.
func (r *RemoteProxies) made(c eventCall) {
	r.mu.Lock()
	f := r.funcs[c.Do]
	r.mu.Unlock()
	go func() {
		if f != nil {
			f()
		}
		// Where this fails the proxies are gone, and with them the message that waits for it.
		_, _ = r.ask(context.Background(), http.MethodPost, fmt.Sprintf("/control/calls/%d/done", c.N), nil, nil)
	}()
}

// name gives a function a number by which the proxies can have it called; 0 for none.
func (r *RemoteProxies) name(f func()) uint64 {
	if f == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := uint64(len(r.funcs)) + 1
	r.funcs[n] = f
	return n
}

// call asks the proxies and returns their answer when all has been recorded that they had told before it.
func (r *RemoteProxies) call(ctx context.Context, method, path string, in, out any) error {
	told, err := r.ask(ctx, method, path, in, out)
	if err != nil {
		return err
	}
	return r.awaitRead(ctx, told)
}

func (r *RemoteProxies) awaitRead(ctx context.Context, told int64) error {
	for {
		r.mu.Lock()
		read, broken, changed := r.read, r.broken, r.changed
		r.mu.Unlock()
		if read >= told || broken != nil {
			return broken
		}
		select {
		case <-changed:
		case <-r.over: // they were closed, and all is read
			return nil
		case <-ctx.Done():
			return fmt.Errorf("waiting for what the proxies have told: %w", ctx.Err())
		}
	}
}

// ask asks the proxies and returns how many events they had told when they answered.
func (r *RemoteProxies) ask(ctx context.Context, method, path string, in, out any) (told int64, err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, remoteAnswer)
	defer cancel()
	res, err := r.send(ctx, method, path, body)
	if err != nil {
		return 0, fmt.Errorf("talking to the proxies: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, refused(res)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil && out != nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the proxies' answer to %s %s: %w", method, path, err)
	}
	told, _ = strconv.ParseInt(res.Header.Get(toldHeader), 10, 64)
	return told, nil
}

func (r *RemoteProxies) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	authorize(req, r.token)
	return r.client.Do(req)
}

// refused is the error that an answer carries, in the words of the proxies.
func refused(res *http.Response) error {
	defer res.Body.Close()
	var said controlError
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&said); err != nil || said.Error == "" {
		return fmt.Errorf("the proxies answered %s", res.Status)
	}
	return errors.New(said.Error)
}
