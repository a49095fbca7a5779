package stack

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// echo is a server that sends back whatever it gets.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		conns.Wait()
	})
	return ln.Addr().String()
}

func TestWhatCannotBeReadPassesThrough(t *testing.T) { onBoth(t, testWhatCannotBeReadPassesThrough) }

func testWhatCannotBeReadPassesThrough(t *testing.T, linked linker) {
	garbage := bytes.Repeat([]byte{0x16, 3, 1, 0xff, '\n', 0}, 50_000)
	for _, protocol := range []*wire.Protocol{wire.HTTP, wire.RESP, wire.Kafka} {
		p, seen := linked(t, echo(t), protocol)
		a := arm(t, p, Rule{Match: Match{Dir: history.Request}, Do: Lose{}})
		conn := dial(t, p)
		for range 2 {
			go func() { _, _ = conn.Write(garbage) }()
			got := make([]byte, len(garbage))
			_, err := io.ReadFull(conn, got)
			require.NoError(t, err, protocol.Name)
			assert.True(t, bytes.Equal(garbage, got), protocol.Name)
		}
		assert.Zero(t, a.Fired())
		assert.Equal(t, 1, p.Unread())
		require.Len(t, seen.all(), 1, "it is noted once")
		note := seen.all()[0]
		assert.Equal(t, "unread", note.Label)
		assert.Contains(t, note.Text, "passed through unread from here on")
	}
}

// stumbling is a protocol whose reading fails at the second message.
type stumbling struct{ read int }

func (s *stumbling) Request(buf []byte) (wire.Message, int, error) {
	if s.read++; s.read > 1 {
		panic("a mistake of ours")
	}
	return wire.Message{Label: "first"}, len(buf), nil
}

func (s *stumbling) Answer(buf []byte) (wire.Message, int, error) {
	return wire.Message{Label: "answer", For: "first"}, len(buf), nil
}

func TestAMistakeOfOursIsNeverTheTargets(t *testing.T) {
	onBoth(t, testAMistakeOfOursIsNeverTheTargets)
}

func testAMistakeOfOursIsNeverTheTargets(t *testing.T, linked linker) {
	p, seen := linked(t, echo(t), &wire.Protocol{Name: "stumbling", New: func() wire.Conn { return &stumbling{} }})
	conn := dial(t, p)
	for _, text := range []string{"one", "two", "six"} {
		_, err := io.WriteString(conn, text)
		require.NoError(t, err)
		got := make([]byte, 3)
		_, err = io.ReadFull(conn, got)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	assert.Equal(t, []string{"request first passed", "answer first passed", "request unread passed"}, seen.lines())
	assert.Contains(t, seen.all()[2].Text, "reading stumbling failed: a mistake of ours")
}

func TestRawLinksCanBeSlowedAndLost(t *testing.T) { onBoth(t, testRawLinksCanBeSlowedAndLost) }

func testRawLinksCanBeSlowedAndLost(t *testing.T, linked linker) {
	p, _ := linked(t, echo(t), wire.Raw)
	a := arm(t, p, Rule{Match: Match{Dir: history.Answer}, Do: Loss{Rate: 1, RTO: time.Millisecond, Max: 2, Seed: seeded(1)}})
	conn := dial(t, p)
	_, err := conn.Write([]byte{0x16, 3, 1})
	require.NoError(t, err)
	_, err = readAll(conn)
	require.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF)
	assert.Equal(t, 2, a.Fired())
}

func TestTLSPassesThrough(t *testing.T) { onBoth(t, testTLSPassesThrough) }

func testTLSPassesThrough(t *testing.T, linked linker) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(server.Close)
	p, _ := linked(t, server.Listener.Addr().String(), wire.HTTP)
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	t.Cleanup(transport.CloseIdleConnections)
	res, err := (&http.Client{Transport: transport, Timeout: patience}).Get("https://" + p.Address())
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "ok", string(body))
	assert.Equal(t, 1, p.Unread())
}

func TestLargeBodiesPass(t *testing.T) { onBoth(t, testLargeBodiesPass) }

func testLargeBodiesPass(t *testing.T, linked linker) {
	for name, c := range map[string]struct{ size, unread int }{
		"just read":  {900 << 10, 0},
		"too large":  {1 << 20, 1},
		"much later": {5 << 20, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bank := newBankServer(t)
			p, _ := linked(t, bank.address(), wire.HTTP)
			body := strings.Repeat("x", c.size)
			got, err := newCaller(t, p.Address()).post("/v1/debits", body)
			require.NoError(t, err)
			assert.Equal(t, "POST /v1/debits "+body, got)
			assert.Equal(t, c.unread, p.Unread())
		})
	}
}

func TestAnswerThatOnlyTheCloseEnds(t *testing.T) { onBoth(t, testAnswerThatOnlyTheCloseEnds) }

func testAnswerThatOnlyTheCloseEnds(t *testing.T, linked linker) {
	for name, body := range map[string]string{"small": `{"status":"SUCCESS"}`, "larger than is read": strings.Repeat("x", 3<<20)} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { _ = ln.Close() })
			p, seen := linked(t, ln.Addr().String(), wire.HTTP)
			conn := dial(t, p)
			_, err = io.WriteString(conn, plainRequest)
			require.NoError(t, err)
			server, err := ln.Accept()
			require.NoError(t, err)
			go func() {
				_, _ = server.Read(make([]byte, 4096))
				_, _ = io.WriteString(server, "HTTP/1.0 200 OK\r\n\r\n")
				_, _ = io.WriteString(server, body)
				_ = server.Close()
			}()
			got, err := readAll(conn)
			require.ErrorIs(t, err, io.EOF)
			assert.True(t, strings.HasSuffix(got, "\r\n\r\n"+body))
			last := seen.all()[len(seen.all())-1]
			assert.Equal(t, history.Answer, last.Dir)
			if len(body) < 100 {
				assert.Equal(t, []any{"POST /v1/debits", "200 OK " + body}, []any{last.Label, last.Text})
			}
		})
	}
}

func TestBytesThatFormNoMessageArriveAtTheClose(t *testing.T) {
	onBoth(t, testBytesThatFormNoMessageArriveAtTheClose)
}

func testBytesThatFormNoMessageArriveAtTheClose(t *testing.T, linked linker) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	p, seen := linked(t, ln.Addr().String(), wire.HTTP)
	conn := dial(t, p)
	_, err = io.WriteString(conn, plainRequest[:30])
	require.NoError(t, err)
	server, err := ln.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, conn.Close())
	require.NoError(t, server.SetDeadline(time.Now().Add(patience)))
	got, err := readAll(server)
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, plainRequest[:30], got)
	assert.Empty(t, seen.all())
}

func TestManyConnectionsAtOnce(t *testing.T) { onBoth(t, testManyConnectionsAtOnce) }

func testManyConnectionsAtOnce(t *testing.T, linked linker) {
	const conns, each = 200, 3
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Match: Match{Dir: history.Request, Contains: "order-7-"}, Do: Delay{By: time.Millisecond}})
	c := newCaller(t, p.Address())
	var calls sync.WaitGroup
	for i := range conns {
		calls.Go(func() {
			for n := range each {
				body := fmt.Sprintf(`{"order":"order-%d-%d"}`, i, n)
				got, err := c.post("/v1/debits", body)
				assert.NoError(t, err)
				assert.Equal(t, "POST /v1/debits "+body, got)
			}
		})
	}
	calls.Wait()
	assert.Len(t, bank.requests(), conns*each)
	assert.Equal(t, each, a.Fired())
	seenBy := map[string]int{}
	open := map[int]string{}
	for _, m := range seen.all() {
		seenBy[m.Dir]++
		if m.Dir == history.Request {
			assert.Empty(t, open[m.Conn], "a request before the answer to the one before")
			_, body, _ := strings.Cut(m.Text, "{")
			open[m.Conn] = body
		} else {
			assert.Contains(t, string(m.Raw), open[m.Conn], "the answer of another connection")
			open[m.Conn] = ""
		}
	}
	assert.Equal(t, map[string]int{history.Request: conns * each, history.Answer: conns * each}, seenBy)
}

func TestPeersThatTakeNothingAreNotWaitedFor(t *testing.T) {
	onBoth(t, testPeersThatTakeNothingAreNotWaitedFor)
}

func testPeersThatTakeNothingAreNotWaitedFor(t *testing.T, linked linker) {
	for name, end := range map[string]func(*testLink, net.Conn, net.Conn){
		"the proxy closes":  func(p *testLink, _, _ net.Conn) { p.Close() },
		"the client closes": func(_ *testLink, client, _ net.Conn) { _ = client.Close() },
		"the server closes": func(_ *testLink, _, server net.Conn) { _ = server.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { _ = ln.Close() })
			p, _ := linked(t, ln.Addr().String(), wire.Raw)
			client := dial(t, p)
			server, err := ln.Accept()
			require.NoError(t, err)
			t.Cleanup(func() { _ = server.Close() })
			// Both write until nothing more is taken, and neither reads.
			for _, conn := range []net.Conn{client, server} {
				chunk := make([]byte, 1<<20)
				for err == nil {
					require.NoError(t, conn.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
					_, err = conn.Write(chunk)
				}
				err = nil
			}
			end(p, client, server)
			_ = client.Close()
			_ = server.Close()
		})
	}
}

func TestResetWhileTheOtherDirectionIsHeld(t *testing.T) {
	onBoth(t, testResetWhileTheOtherDirectionIsHeld)
}

func testResetWhileTheOtherDirectionIsHeld(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	held := arm(t, p, Rule{Fault: "held", Match: Match{Dir: history.Answer}, Do: Hold{}})
	arm(t, p, Rule{Fault: "lost", Match: Match{Dir: history.Request, Nth: 2}, Do: Lose{}})
	conn := dial(t, p)
	_, err := io.WriteString(conn, plainRequest)
	require.NoError(t, err)
	require.NoError(t, held.Wait(patient(t), 0, 1))
	_, err = io.WriteString(conn, plainRequest)
	require.NoError(t, err)
	_, err = readAll(conn)
	require.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF)
	held.lets() // the held answer goes down with its connection
	require.Eventually(t, func() bool { return len(seen.all()) == 3 }, patience, time.Millisecond)
	lines := seen.lines()
	slices.Sort(lines)
	assert.Equal(t, []string{"answer POST /v1/debits lost lost", "request POST /v1/debits lost lost", "request POST /v1/debits passed"}, lines)
}

func TestSilenceSwallowsAllThatFollows(t *testing.T) { onBoth(t, testSilenceSwallowsAllThatFollows) }

func testSilenceSwallowsAllThatFollows(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, seen := linked(t, bank.address(), wire.HTTP)
	a := arm(t, p, Rule{Fault: "silence", Match: Match{Dir: history.Answer, Nth: 1, Count: 1}, Do: Lose{How: Silence}})
	conn := dial(t, p)
	for range 3 {
		_, err := io.WriteString(conn, plainRequest)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return len(seen.all()) == 6 }, patience, time.Millisecond)
	a.Remove()
	_, err := io.WriteString(conn, plainRequest)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(seen.all()) == 8 }, patience, time.Millisecond)
	for _, m := range seen.all() {
		assert.Equal(t, m.Dir == history.Answer, m.Fate == history.Lost)
	}
	assert.Len(t, bank.requests(), 4, "the other direction goes on")
	assert.Equal(t, 1, a.Fired())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	var timeout net.Error
	_, err = readAll(conn)
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout())
}

func TestToxicsComeAndGoUnderTraffic(t *testing.T) { onBoth(t, testToxicsComeAndGoUnderTraffic) }

func testToxicsComeAndGoUnderTraffic(t *testing.T, linked linker) {
	bank := newBankServer(t)
	p, _ := linked(t, bank.address(), wire.HTTP)
	c := newCaller(t, p.Address())
	stop := make(chan struct{})
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				body := fmt.Sprintf(`{"i":"%d-%d","pad":%q}`, i, n, strings.Repeat("x", 40_000))
				got, err := c.post("/v1/debits", body)
				if !assert.NoError(t, err) || !assert.Equal(t, len("POST /v1/debits "+body), len(got)) {
					return
				}
			}
		})
	}
	for range 20 {
		for _, stream := range []string{"upstream", "downstream"} {
			crossed := len(bank.requests())
			require.Eventually(t, func() bool { return len(bank.requests()) > crossed }, patience, time.Millisecond)
			toxic, err := p.Toxic(patient(t), "toxic", "latency", stream, map[string]any{"latency": 1})
			require.NoError(t, err)
			require.NoError(t, toxic.Remove(patient(t)))
			toxic, err = p.Toxic(patient(t), "toxic", "slicer", stream, map[string]any{"average_size": 10_000, "size_variation": 100})
			require.NoError(t, err)
			require.NoError(t, toxic.Remove(patient(t)))
		}
	}
	close(stop)
	calls.Wait()
}
