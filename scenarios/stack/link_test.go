package stack

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/stack/wire"
)

// linker starts a proxy before a server, and looks at the end of the test that nothing is left of it.
type linker func(t testing.TB, upstream string, protocol *wire.Protocol) (*testLink, *sightings)

// linkers are the ways in which a link can be had. What holds of one holds of all.
var linkers = map[string]linker{"in this process": linkedHere, "elsewhere": linkedElsewhere}

// onBoth runs a test over every kind of link.
func onBoth(t *testing.T, test func(t *testing.T, linked linker)) {
	for name, linked := range linkers {
		t.Run(name, func(t *testing.T) { test(t, linked) })
	}
}

func linkedHere(t testing.TB, upstream string, protocol *wire.Protocol) (*testLink, *sightings) {
	t.Helper()
	before := runtime.NumGoroutine()
	proxies := NewProxies()
	seen := &sightings{}
	p, err := proxies.Add(ProxyConfig{Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{upstream}, Protocol: protocol}, seen.record)
	require.NoError(t, err)
	t.Cleanup(func() {
		proxies.Close()
		noMoreThan(t, before)
	})
	return &testLink{Link: p, t: t, proxy: p}, seen
}

// linkedElsewhere has the proxy worked by its control interface, as if it were in another process.
func linkedElsewhere(t testing.TB, upstream string, protocol *wire.Protocol) (*testLink, *sightings) {
	t.Helper()
	before := runtime.NumGoroutine()
	s := serving(t, ProxyConfig{Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{upstream}, Protocol: protocol})
	seen := &sightings{}
	remote, err := DialProxies(patient(t), s.control, testToken, func(_ string, m Seen, _ time.Time) { seen.record(m) })
	require.NoError(t, err)
	seen.catchUp = func() { _ = remote.CatchUp(context.Background()) }
	t.Cleanup(func() {
		assert.NoError(t, remote.Close(patient(t)))
		assert.NoError(t, s.wait(t))
		noMoreThan(t, before)
	})
	l, err := remote.Link("bank", "")
	require.NoError(t, err)
	return &testLink{Link: l, t: t, proxy: s.links["bank"]}, seen
}

// service is proxies at work behind a control address.
type service struct {
	*proxyServer
	control string
	cancel  context.CancelFunc
	result  chan error
}

func serving(t testing.TB, links ...ProxyConfig) *service {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &service{proxyServer: newProxyServer(testToken), control: ln.Addr().String(), cancel: cancel, result: make(chan error, 1)}
	go func() { s.result <- s.run(ctx, ln, links) }()
	t.Cleanup(cancel)
	return s
}

// wait waits until the role has ended, and returns its error.
func (s *service) wait(t testing.TB) error {
	t.Helper()
	select {
	case err := <-s.result:
		return err
	case <-time.After(patience):
		require.Fail(t, "the role has not ended")
		return nil
	}
}

// testLink is a link, and the proxy that works for it.
type testLink struct {
	Link
	t     testing.TB
	proxy *Proxy
}

func (l *testLink) Up() error { return l.Link.Up(context.Background()) }

func (l *testLink) Down() { assert.NoError(l.t, l.Link.Down(context.Background())) }

func (l *testLink) Close() { l.proxy.Close() }

func (l *testLink) Passed(dir string) int { return l.proxy.tap.Passed(dir) }

func (l *testLink) Unread() int { return l.proxy.tap.Unread() }

func arm(t testing.TB, l *testLink, rule Rule) *testArmed {
	t.Helper()
	a, err := l.Arm(context.Background(), rule)
	require.NoError(t, err)
	return &testArmed{Armed: a, t: t}
}

// testArmed is a rule in force of which nothing is expected to go wrong.
type testArmed struct {
	Armed
	t testing.TB
}

func (a *testArmed) counts() (fired, holding int) {
	fired, holding, err := a.Counts(context.Background())
	assert.NoError(a.t, err)
	return fired, holding
}

func (a *testArmed) Fired() int {
	fired, _ := a.counts()
	return fired
}

func (a *testArmed) Holding() int {
	_, holding := a.counts()
	return holding
}

func (a *testArmed) Release() { assert.NoError(a.t, a.Armed.Release(context.Background())) }

func (a *testArmed) Remove() { assert.NoError(a.t, a.Armed.Remove(context.Background())) }

// lets waits until nothing is held any more.
func (a *testArmed) lets() {
	require.Eventually(a.t, func() bool { return a.Holding() == 0 }, patience, time.Millisecond)
}

func (l *testLink) Toxic(ctx context.Context, name, typ, stream string, attributes map[string]any) (*testToxic, error) {
	toxic, err := l.Link.Toxic(ctx, name, typ, stream, attributes)
	return &testToxic{ArmedToxic: toxic, t: l.t}, err
}

// testToxic is a toxic in force of which nothing is expected to go wrong.
type testToxic struct {
	ArmedToxic
	t testing.TB
}

func (a *testToxic) Fired() int {
	fired, err := a.ArmedToxic.Fired(context.Background())
	assert.NoError(a.t, err)
	return fired
}
