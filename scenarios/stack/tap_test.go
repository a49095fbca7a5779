package stack

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// patience bounds every wait of these tests; none of them takes that long unless something is broken.
const patience = 20 * time.Second

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// sightings keeps what a tap tells.
type sightings struct {
	catchUp func() // where what was seen may still be on its way
	mu      sync.Mutex
	seen    []Seen
}

func (s *sightings) record(m Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, m)
}

func (s *sightings) all() []Seen {
	if s.catchUp != nil {
		s.catchUp()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// lines are what was seen, as "dir label fate fault", in order.
func (s *sightings) lines() []string {
	var out []string
	for _, m := range s.all() {
		out = append(out, strings.TrimSpace(m.Dir+" "+m.Label+" "+m.Fate+" "+m.Fault))
	}
	return out
}

// noMoreThan waits until goroutines have ended.
func noMoreThan(t testing.TB, goroutines int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > goroutines && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if runtime.NumGoroutine() > goroutines {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var ours []string
		for _, s := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(s, "toxiproxy") || strings.Contains(s, "onedebit") {
				ours = append(ours, s)
			}
		}
		t.Errorf("%d goroutines, %d at the beginning:\n%s", runtime.NumGoroutine(), goroutines, strings.Join(ours, "\n\n"))
	}
}

// bankServer answers every request with its method, path and body, and counts them.
type bankServer struct {
	*httptest.Server
	mu   sync.Mutex
	hits []string
}

func newBankServer(t testing.TB) *bankServer {
	b := &bankServer{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		b.hits = append(b.hits, r.Method+" "+r.URL.Path)
		b.mu.Unlock()
		_, _ = w.Write(append([]byte(r.Method+" "+r.URL.Path+" "), body...))
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *bankServer) address() string { return b.Listener.Addr().String() }

func (b *bankServer) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.hits)
}

// caller is an HTTP client that keeps connections and never sends anything twice by itself: its bodies cannot be rewound.
type caller struct {
	http.Client
	base string
}

func newCaller(t testing.TB, address string) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: 300}
	t.Cleanup(transport.CloseIdleConnections)
	return &caller{Client: http.Client{Transport: transport, Timeout: patience}, base: "http://" + address}
}

func (c *caller) post(path, body string) (string, error) {
	res, err := c.Post(c.base+path, "application/json", io.MultiReader(strings.NewReader(body)))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return string(got), err
}

func TestTapRecordsEveryMessageInOrder(t *testing.T) { onBoth(t, testTapRecordsEveryMessageInOrder) }

func testTapRecordsEveryMessageInOrder(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	c := newCaller(t, p.Address())
	for _, path := range []string{"/v1/debits", "/v1/debits/T1/close"} {
		got, err := c.post(path, `{"trade_no":"T1"}`)
		require.NoError(t, err)
		assert.Equal(t, "POST "+path+` {"trade_no":"T1"}`, got)
	}
	assert.Equal(t, []string{
		"request POST /v1/debits passed", "answer POST /v1/debits passed",
		"request POST /v1/debits/T1/close passed", "answer POST /v1/debits/T1/close passed",
	}, seen.lines())
	first := seen.all()[0]
	assert.Equal(t, `POST /v1/debits {"trade_no":"T1"}`, first.Text)
	assert.Equal(t, 1, first.Conn)
	assert.Equal(t, len(first.Raw), first.Size)
	assert.Equal(t, 1, seen.all()[3].Conn, "the connection is kept")
	assert.Equal(t, 2, p.Passed(history.Request))
}

func TestResetIsARSTOnAFreshAndOnAPooledConnection(t *testing.T) {
	onBoth(t, testResetIsARSTOnAFreshAndOnAPooledConnection)
}

func testResetIsARSTOnAFreshAndOnAPooledConnection(t *testing.T, linked linker) {
	for _, dir := range []string{history.Request, history.Answer} {
		for nth := 1; nth <= 3; nth += 2 {
			bank := newBankServer(t)
			p, seen := linked(t, bank.address(), wire.HTTP)
			a := arm(t, p, Rule{Fault: "lost", Match: Match{Dir: dir, Labels: []string{"POST /v1/debits"}, Nth: nth, Count: 1}, Do: Lose{}})
			c := newCaller(t, p.Address())
			for range nth - 1 {
				_, err := c.post("/v1/debits", "{}")
				require.NoError(t, err)
			}
			_, err := c.post("/v1/debits", "{}")
			require.ErrorIs(t, err, syscall.ECONNRESET, "%s %d", dir, nth)
			want := nth
			if dir == history.Request {
				want--
			}
			assert.Len(t, bank.requests(), want)
			assert.Equal(t, 1, a.Fired())
			last := seen.all()[len(seen.all())-1]
			assert.Equal(t, []any{dir, history.Lost, "lost"}, []any{last.Dir, last.Fate, last.Fault})
			_, err = c.post("/v1/debits", "{}")
			require.NoError(t, err, "the next one passes")
		}
	}
}

// dial connects to a proxy without any library between.
func dial(t testing.TB, p *testLink) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn.(*net.TCPConn)
}

const plainRequest = "POST /v1/debits HTTP/1.1\r\nHost: bank\r\nContent-Length: 2\r\n\r\n{}"

func TestHowAConnectionEnds(t *testing.T) { onBoth(t, testHowAConnectionEnds) }

func testHowAConnectionEnds(t *testing.T, linked linker) {
	type outcome struct {
		err     error // what the client gets; nil is that it hears nothing
		atBank  int
		partial bool
	}
	for name, c := range map[string]struct {
		dir  string
		do   Action
		want outcome
	}{
		"request lost, reset":  {history.Request, Lose{How: Reset}, outcome{err: syscall.ECONNRESET}},
		"request lost, fin":    {history.Request, Lose{How: Fin}, outcome{err: io.EOF}},
		"request lost, silent": {history.Request, Lose{How: Silence}, outcome{}},
		"answer lost, reset":   {history.Answer, Lose{How: Reset}, outcome{err: syscall.ECONNRESET, atBank: 1}},
		"answer lost, fin":     {history.Answer, Lose{How: Fin}, outcome{err: io.EOF, atBank: 1}},
		"answer lost, silent":  {history.Answer, Lose{How: Silence}, outcome{atBank: 1}},
		"answer cut, reset":    {history.Answer, Cut{How: Reset}, outcome{err: syscall.ECONNRESET, atBank: 1, partial: true}},
		"answer cut, fin":      {history.Answer, Cut{How: Fin, Bytes: 5}, outcome{err: io.EOF, atBank: 1, partial: true}},
		"answer cut, silent":   {history.Answer, Cut{How: Silence}, outcome{atBank: 1, partial: true}},
	} {
		t.Run(name, func(t *testing.T) {
			bank := newBankServer(t)
			p, _ := linked(t, bank.address(), wire.HTTP)
			a := arm(t, p, Rule{Fault: "f", Match: Match{Dir: c.dir}, Do: c.do})
			conn := dial(t, p)
			_, err := io.WriteString(conn, plainRequest)
			require.NoError(t, err)
			require.NoError(t, a.Wait(patient(t), 1, 0))
			first := make([]byte, 1)
			if c.want.partial {
				_, err = io.ReadFull(conn, first)
				require.NoError(t, err)
				assert.Equal(t, "H", string(first))
			}
			if c.want.err == nil {
				require.NoError(t, conn.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
			}
			got, err := readAll(conn)
			switch c.want.err {
			case nil:
				var timeout net.Error
				require.ErrorAs(t, err, &timeout)
				assert.True(t, timeout.Timeout(), "it hears nothing: %v", err)
			default:
				require.ErrorIs(t, err, c.want.err)
			}
			assert.Len(t, bank.requests(), c.want.atBank)
			assert.Equal(t, c.want.partial, len(got) > 0)
			if cut, ok := c.do.(Cut); ok && cut.Bytes > 0 {
				assert.Equal(t, "TTP/", got)
			}
		})
	}
}

// readAll reads until an error, and returns the error, which for the end of the stream is io.EOF.
func readAll(r io.Reader) (string, error) {
	var all bytes.Buffer
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			return all.String(), err
		}
	}
}

func TestTapWithoutAProxyPassesEverything(t *testing.T) {
	assert.Nil(t, (&tapToxic{ID: "no such proxy"}).NewState())
	input, output := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := toxics.NewToxicStub(input, output)
	go new(tapToxic).Pipe(stub)
	sent := &stream.StreamChunk{Data: []byte("x")}
	input <- sent
	assert.Same(t, sent, <-output)
	close(input)
	assert.Nil(t, <-output)
}
