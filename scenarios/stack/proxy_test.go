package stack

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

func TestDownRefusesAndUpComesBackAtTheSameAddress(t *testing.T) {
	onBoth(t, testDownRefusesAndUpComesBackAtTheSameAddress)
}

func testDownRefusesAndUpComesBackAtTheSameAddress(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	c := newCaller(t, p.Address())
	_, err := c.post("/v1/debits", "{}")
	require.NoError(t, err)
	address := p.Address()
	live := dial(t, p)
	_, err = io.WriteString(live, plainRequest)
	require.NoError(t, err)
	_, err = live.Read(make([]byte, 4096))
	require.NoError(t, err)
	for range 3 {
		p.Down()
		p.Down()
		assert.Equal(t, address, p.Address())
		_, err = net.Dial("tcp", address)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.NoError(t, p.Up())
		require.NoError(t, p.Up())
		assert.Equal(t, address, p.Address())
		_, err = newCaller(t, address).post("/v1/debits", "{}")
		require.NoError(t, err)
	}
	_, err = readAll(live)
	require.ErrorIs(t, err, io.EOF, "a live connection was closed")
	p.Close()
	p.Close()
	require.ErrorContains(t, p.Up(), "it is closed")
	ln, err := net.Listen("tcp", address)
	require.NoError(t, err, "the address is given back")
	require.NoError(t, ln.Close())
}

func TestServerThatIsDownResetsTheClient(t *testing.T) {
	onBoth(t, testServerThatIsDownResetsTheClient)
}

func testServerThatIsDownResetsTheClient(t *testing.T, linked linker) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	p, seen := linked(t, ln.Addr().String(), wire.HTTP)
	conn, err := net.Dial("tcp", p.Address())
	if err == nil { // where the RST is not there before the connection is
		_, err = readAll(conn)
		_ = conn.Close()
	}
	require.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Empty(t, seen.all())
}

func TestUsualClosesStayUsual(t *testing.T) { onBoth(t, testUsualClosesStayUsual) }

func testUsualClosesStayUsual(t *testing.T, linked linker) {
	t.Run("of the server, with all that it sent", func(t *testing.T) {
		body := strings.Repeat("x", 900_000)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		p, _ := linked(t, server.Listener.Addr().String(), wire.HTTP)
		arm(t, p, Rule{Match: Match{Dir: history.Request, Nth: 99}, Do: Lose{How: Reset}})
		conn := dial(t, p)
		_, err := io.WriteString(conn, plainRequest)
		require.NoError(t, err)
		got, err := readAll(conn)
		require.ErrorIs(t, err, io.EOF)
		assert.Greater(t, len(got), len(body))
	})
	t.Run("of the client", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = ln.Close() })
		p, _ := linked(t, ln.Addr().String(), wire.HTTP)
		conn := dial(t, p)
		server, err := ln.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { _ = server.Close() })
		require.NoError(t, conn.Close())
		require.NoError(t, server.SetDeadline(time.Now().Add(patience)))
		_, err = readAll(server)
		require.ErrorIs(t, err, io.EOF)
	})
}

func TestAResetReachesTheServerToo(t *testing.T) { onBoth(t, testAResetReachesTheServerToo) }

func testAResetReachesTheServerToo(t *testing.T, linked linker) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	p, _ := linked(t, ln.Addr().String(), wire.HTTP)
	arm(t, p, Rule{Match: Match{Dir: history.Request}, Do: Cut{How: Reset, Bytes: 20}})
	_, err = io.WriteString(dial(t, p), plainRequest)
	require.NoError(t, err)
	server, err := ln.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, server.SetDeadline(time.Now().Add(patience)))
	got, err := readAll(server)
	require.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Equal(t, plainRequest[:20], got)
}

func TestToxicIsFeltByWhatCrossesWhileItIsOn(t *testing.T) {
	onBoth(t, testToxicIsFeltByWhatCrossesWhileItIsOn)
}

func testToxicIsFeltByWhatCrossesWhileItIsOn(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	c := newCaller(t, p.Address())
	call := func() {
		_, err := c.post("/v1/debits", "{}")
		require.NoError(t, err)
	}
	call()
	slow, err := p.Toxic(patient(t), "slow", "latency", "", map[string]any{"latency": 50})
	require.NoError(t, err)
	assert.Zero(t, slow.Fired())
	start := time.Now()
	call()
	assert.GreaterOrEqual(t, time.Since(start), 50*time.Millisecond)
	call()
	assert.Equal(t, 2, slow.Fired())
	_, err = p.Toxic(patient(t), "slow", "latency", "upstream", nil)
	require.Error(t, err, "there is one of that name")
	require.NoError(t, slow.Remove(patient(t)))
	require.NoError(t, slow.Remove(patient(t)), "twice is fine")
	call()
	assert.Equal(t, 2, slow.Fired())
}

func TestEveryToxicOfToxiproxyCanBePutInForce(t *testing.T) {
	onBoth(t, testEveryToxicOfToxiproxyCanBePutInForce)
}

func testEveryToxicOfToxiproxyCanBePutInForce(t *testing.T, linked linker) {
	for _, typ := range ToxicTypes() {
		attributes := map[string]any{}
		for _, a := range ToxicAttributes(typ) {
			attributes[a] = 1
		}
		assert.NotEmpty(t, attributes, typ)
		bank := newBankServer(t)
		p, _ := linked(t, bank.address(), wire.HTTP)
		live := dial(t, p)
		_, err := io.WriteString(live, plainRequest[:10])
		require.NoError(t, err)
		for _, stream := range []string{"upstream", "downstream"} {
			_, err := p.Toxic(patient(t), typ+stream, typ, stream, attributes)
			require.NoError(t, err, typ)
		}
		_, _ = newCaller(t, p.Address()).post("/v1/debits", "{}")
		p.Close()
	}
}

func TestResetPeerResetsLiveConnectionsAndNothingAfterwards(t *testing.T) {
	onBoth(t, testResetPeerResetsLiveConnectionsAndNothingAfterwards)
}

func testResetPeerResetsLiveConnectionsAndNothingAfterwards(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	used, idle := dial(t, p), dial(t, p)
	for _, conn := range []net.Conn{used, idle} {
		_, err := io.WriteString(conn, plainRequest)
		require.NoError(t, err)
		_, err = conn.Read(make([]byte, 4096))
		require.NoError(t, err)
	}
	toxic, err := p.Toxic(patient(t), "rst", "reset_peer", "upstream", map[string]any{"timeout": 0})
	require.NoError(t, err)
	_, err = io.WriteString(used, plainRequest)
	require.NoError(t, err)
	_, err = readAll(used)
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.NoError(t, toxic.Remove(patient(t)))
	p.Down()
	_, err = readAll(idle)
	require.ErrorIs(t, err, io.EOF, "a connection that outlives the toxic ends as usual")
}

func TestToxicErrorsNameWhatWasMeant(t *testing.T) { onBoth(t, testToxicErrorsNameWhatWasMeant) }

func testToxicErrorsNameWhatWasMeant(t *testing.T, linked linker) {
	p, _ := linked(t, "127.0.0.1:1", wire.HTTP)
	ctx := patient(t)
	for want, call := range map[string]func() error{
		`type "latencey" is none of bandwidth, latency, limit_data, reset_peer, slicer, slow_close, timeout; did you mean "latency"?`: func() error {
			_, err := p.Toxic(ctx, "n", "latencey", "upstream", nil)
			return err
		},
		`attribute "latncy" of latency is none of jitter, latency; did you mean "latency"?`: func() error {
			_, err := p.Toxic(ctx, "n", "latency", "upstream", map[string]any{"latncy": 1})
			return err
		},
		`stream "up" is none of downstream, upstream`: func() error {
			_, err := p.Toxic(ctx, "n", "latency", "up", nil)
			return err
		},
		`none of bandwidth`: func() error {
			_, err := p.Toxic(ctx, "n", tapToxicType, "upstream", nil)
			return err
		},
		`it needs a name`: func() error { _, err := p.Toxic(ctx, "", "latency", "upstream", nil); return err },
		`cannot unmarshal`: func() error {
			_, err := p.Toxic(ctx, "n", "latency", "upstream", map[string]any{"latency": "long"})
			return err
		},
	} {
		require.ErrorContains(t, call(), want)
	}
	assert.Nil(t, ToxicAttributes("nonsense"))
	assert.Nil(t, ToxicAttributes(tapToxicType))
}

func TestWithinDoesNotWaitForEver(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	never := make(chan struct{})
	defer close(never)
	require.ErrorIs(t, within(ctx, func() error { <-never; return nil }), context.Canceled)
}

func TestProxiesRefuseWhatCannotBe(t *testing.T) {
	ps := NewProxies()
	good := ProxyConfig{Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{"127.0.0.1:1"}, Protocol: wire.HTTP}
	p, err := ps.Add(good, nil)
	require.NoError(t, err)
	_, err = ps.Add(good, nil)
	require.ErrorContains(t, err, "there is one of that name")
	for _, break_ := range []func(*ProxyConfig){
		func(c *ProxyConfig) { c.Name = "" },
		func(c *ProxyConfig) { c.Upstreams = nil },
		func(c *ProxyConfig) { c.Protocol = nil },
		func(c *ProxyConfig) { c.Name, c.Listen = "taken", p.Address() },
		func(c *ProxyConfig) { c.Name, c.Listen = "nowhere", "no address" },
	} {
		bad := good
		break_(&bad)
		_, err := ps.Add(bad, nil)
		require.ErrorContains(t, err, "adding proxy")
	}
	ps.Close()
	ps.Close()
	_, err = ps.Add(ProxyConfig{Name: "late", Upstreams: []string{"127.0.0.1:1"}, Protocol: wire.HTTP}, nil)
	require.ErrorContains(t, err, "the proxies are closed")
}

func TestServersTakeTurns(t *testing.T) {
	one, two := newBankServer(t), newBankServer(t)
	ps := NewProxies()
	t.Cleanup(ps.Close)
	p, err := ps.Add(ProxyConfig{
		Name: "client", Listen: "127.0.0.1:0", Upstreams: []string{one.address(), two.address()}, Protocol: wire.HTTP,
	}, nil)
	require.NoError(t, err)
	for range 4 {
		c := newCaller(t, p.Address())
		for range 3 { // a connection stays with its server
			_, err := c.post("/v1/debits", "{}")
			require.NoError(t, err)
		}
		c.CloseIdleConnections()
	}
	assert.Len(t, one.requests(), 6)
	assert.Len(t, two.requests(), 6)
}

// A server that is down loses its turn, as behind a load balancer.
func TestAServerThatIsDownIsPassedOver(t *testing.T) {
	up := newBankServer(t)
	ps := NewProxies()
	t.Cleanup(ps.Close)
	p, err := ps.Add(ProxyConfig{
		Name: "client", Listen: "127.0.0.1:0", Upstreams: []string{"127.0.0.1:1", up.address()}, Protocol: wire.HTTP,
	}, nil)
	require.NoError(t, err)
	for range 4 {
		c := newCaller(t, p.Address())
		_, err := c.post("/v1/debits", "{}")
		require.NoError(t, err)
		c.CloseIdleConnections()
	}
	assert.Len(t, up.requests(), 4)
}
