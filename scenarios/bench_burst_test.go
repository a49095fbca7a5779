package scenarios

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/rakyll/hey/requester"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/workload"
)

// burstCopies is how many copies arrive together, burstRounds how many bursts of each side make one iteration. Of fewer
// rounds than fewRounds a median is worth nothing.
const (
	burstCopies = 50
	burstRounds = 10
	fewRounds   = 20
)

var burstBody = bytes.Repeat([]byte("x"), 160) // about as long as a submit

// arrivals notes when each request was there, its body read to the end.
type arrivals struct {
	mu sync.Mutex
	at []time.Time
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	now := time.Now()
	a.mu.Lock()
	a.at = append(a.at, now)
	a.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

// spread is the time from the first to the last arrival of a round, and begins the next.
func (a *arrivals) spread(t testing.TB) time.Duration {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	require.Len(t, a.at, burstCopies, "every copy has arrived")
	first, last := a.at[0], a.at[0]
	for _, at := range a.at {
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	a.at = a.at[:0]
	return last.Sub(first)
}

// burstOurs releases copies as the step burst does.
func burstOurs(t testing.TB, url string) {
	t.Helper()
	copies := make([]*workload.Copy, burstCopies)
	for i := range copies {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(burstBody))
		require.NoError(t, err)
		copies[i], err = workload.Prepare(context.Background(), req)
		require.NoError(t, err)
	}
	require.NoError(t, workload.Release(copies, time.Minute))
	for _, c := range copies {
		resp, err := c.Answer()
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		_ = resp.Body.Close()
	}
}

// burstHey sends as many at once by hey's own library, as hey -n 50 -c 50 does.
func burstHey(t testing.TB, url string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, nil)
	require.NoError(t, err)
	req.ContentLength = int64(len(burstBody))
	w := &requester.Work{Request: req, RequestBody: burstBody, N: burstCopies, C: burstCopies, Timeout: 60, Writer: io.Discard}
	w.Run()
}

// BenchmarkBurst measures, turn by turn in one run, how close together 50 copies arrive at a plain HTTP handler: released
// by us, and sent by hey. Ours must arrive closer together.
func BenchmarkBurst(b *testing.B) {
	got := &arrivals{}
	server := httptest.NewServer(got)
	defer server.Close()
	// Connections are closed between rounds, so that none has an advantage over those of the round before.
	rounds := func(send func(testing.TB, string)) time.Duration {
		send(b, server.URL)
		server.CloseClientConnections()
		runtime.GC()
		return got.spread(b)
	}
	var ours, heys []time.Duration
	for b.Loop() {
		for range burstRounds {
			ours = append(ours, rounds(burstOurs))
			heys = append(heys, rounds(burstHey))
		}
	}
	us, hey := median(ours), median(heys)
	b.ReportMetric(float64(us.Microseconds()), "µs/ours")
	b.ReportMetric(float64(hey.Microseconds()), "µs/hey")
	b.ReportMetric(0, "ns/op")
	b.Logf("%d copies, %d rounds, first to last arrival, median: ours %s, hey %s", burstCopies, len(ours), us, hey)
	if len(ours) >= fewRounds && us >= hey {
		b.Errorf("our copies arrive %s apart, hey's %s: the burst has lost its edge", us, hey)
	}
}

// Both sides of the comparison do send what is measured.
func TestBurstsAreWhole(t *testing.T) {
	for name, send := range map[string]func(testing.TB, string){"ours": burstOurs, "hey": burstHey} {
		t.Run(name, func(t *testing.T) {
			got := &arrivals{}
			server := httptest.NewUnstartedServer(got)
			var mu sync.Mutex
			conns := map[net.Conn]bool{}
			server.Config.ConnState = func(c net.Conn, s http.ConnState) {
				if s == http.StateNew {
					mu.Lock()
					conns[c] = true
					mu.Unlock()
				}
			}
			server.Start()
			defer server.Close()
			send(t, server.URL)
			require.Positive(t, got.spread(t))
			mu.Lock()
			defer mu.Unlock()
			if name == "ours" { // hey takes up a connection again where one is free by then
				require.Len(t, conns, burstCopies, "each on a connection of its own")
			}
		})
	}
}
