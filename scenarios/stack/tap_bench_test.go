package stack

import (
	"context"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack/wire"
)

// BenchmarkHTTPRequest shows what one request and its answer cost on the way.
func BenchmarkHTTPRequest(b *testing.B) {
	bank := newBankServer(b)
	run := func(name, address string) {
		c := newCaller(b, address)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.post("/v1/debits", `{"trade_no":"T1","amount":500}`); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("direct", bank.address())
	plain := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "plain", "127.0.0.1:0", bank.address())
	require.NoError(b, plain.Start())
	b.Cleanup(plain.Stop)
	run("plain", plain.Listen)

	proxies := NewProxies()
	b.Cleanup(proxies.Close)
	p, err := proxies.Add(ProxyConfig{Name: "bank", Listen: "127.0.0.1:0", Upstreams: []string{bank.address()}, Protocol: wire.HTTP}, func(Seen) {})
	require.NoError(b, err)
	run("tapped", p.Address())

	s := serving(b, bankConfig(bank.address()))
	remote, err := DialProxies(b.Context(), s.control, testToken, func(string, Seen, time.Time) {})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, remote.Close(context.Background())) })
	elsewhere, err := remote.Link("bank", "")
	require.NoError(b, err)
	run("tapped and told elsewhere", elsewhere.Address()) // both ends of the telling are paid for here

	for range 10 {
		_, err := p.tap.Arm(Rule{Match: Match{Dir: history.Request, Labels: []string{"POST /v1/*"}, Contains: "T2"}, Do: Lose{}})
		require.NoError(b, err)
	}
	run("ten rules", p.Address())
}

// BenchmarkMessage shows what the tap alone adds to one message, with the way through the channels to and from it.
func BenchmarkMessage(b *testing.B) {
	pass := func(b *testing.B, pipe func(*toxics.ToxicStub)) {
		input, output := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
		go pipe(toxics.NewToxicStub(input, output))
		b.ReportAllocs()
		for b.Loop() {
			input <- &stream.StreamChunk{Data: []byte(plainRequest), Timestamp: time.Time{}}
			<-output
		}
		close(input)
	}
	b.Run("noop", func(b *testing.B) { pass(b, new(toxics.NoopToxic).Pipe) })
	b.Run("tap", func(b *testing.B) {
		conn := NewTap("bank", wire.HTTP, nil).newConn(1, func() {})
		conn.wire = unanswered{conn.wire}
		pass(b, (&flow{conn: conn, dir: history.Request}).run)
	})
}

// unanswered gives every request an answer, so that none waits for one.
type unanswered struct{ wire.Conn }

func (u unanswered) Request(buf []byte) (wire.Message, int, error) {
	m, n, err := u.Conn.Request(buf)
	if n > 0 {
		_, _, _ = u.Answer([]byte("HTTP/1.1 204 No Content\r\n\r\n"))
	}
	return m, n, err
}
