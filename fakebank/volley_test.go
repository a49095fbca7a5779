package fakebank

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No copy may arrive in full before every copy has its connection. The hook lets nobody go until all are there, so that
// copies sent one after the other would never come to an end.
func TestVolleyArrivesTogether(t *testing.T) {
	const copies = 100
	f, h := start(t), listen(t)
	var there sync.WaitGroup
	there.Add(copies)
	h.before = func() { there.Done(); there.Wait() }
	f.debit("T1", object{"notify_url": h.URL})
	v := f.fire(object{"trade_no": "T1", "status": Success, "copies": copies, "together": true, "once": true})
	remotes := map[string]bool{}
	for range copies {
		one := receive(t, h.got)
		remotes[one.remote] = true
		assert.Equal(t, Sign("secret", one.timestamp, []byte(one.text)), one.signature)
	}
	assert.Len(t, remotes, copies, "each has a connection of its own")
	for _, d := range v.Deliveries {
		assert.Equal(t, 200, d.Status)
	}
	assert.Positive(t, v.Spread)
	assert.Equal(t, statusView{}, f.status())
}

// The last byte is withheld until all the rest of all copies is written.
func TestVolleyWithholdsTheLastByte(t *testing.T) {
	gate := make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, r.ContentLength)
		n := 0
		for n < len(buf)-1 {
			more, err := r.Body.Read(buf[n:])
			n += more
			if err != nil {
				return
			}
		}
		if n == len(buf)-1 { // this one is seen to wait for its last byte
			close(gate)
		}
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		assert.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	f := start(t)
	n := f.bank.newNotice(Notify{URL: "http://" + listener.Addr().String() + "/cb"}, "N1", Outcome{TradeNo: "T1", Status: Success}, entry{TradeNo: "T1", Status: Success})
	shot := f.bank.load(t.Context(), n)
	require.NoError(t, shot.err)
	receive(t, gate)
	shot.release(SystemClock())
	status, err := shot.answer(t.Context(), patience)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
}

func TestVolleyIntoNothing(t *testing.T) {
	h := listen(t)
	url := h.URL
	h.Close()
	f := start(t)
	f.debit("T1", object{"notify_url": url})
	for _, d := range f.fire(object{"trade_no": "T1", "status": Success, "copies": 3, "together": true, "once": true}).Deliveries {
		assert.Equal(t, 0, d.Status)
		assert.Contains(t, d.Error, "connection refused")
	}
	assert.Equal(t, 3, f.status().CallbacksGivenUp)
}

func TestVolleyIsBoundedByTheTimeout(t *testing.T) {
	h, stop := listen(t), make(chan struct{})
	h.before = func() { <-stop }
	t.Cleanup(func() { close(stop) })
	f := start(t, func(c *Config) { c.CallbackTimeout = 20 * time.Millisecond })
	f.debit("T1", object{"notify_url": h.URL})
	v := f.fire(object{"trade_no": "T1", "status": Success, "copies": 3, "together": true, "once": true})
	for _, d := range v.Deliveries {
		assert.Equal(t, 0, d.Status)
		assert.Contains(t, d.Error, "deadline exceeded")
	}
}

func TestDialTakesTheSchemesPort(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1/", "https://127.0.0.1/", "https://127.0.0.1:1/"} {
		req, err := http.NewRequest(http.MethodPost, url, nil)
		require.NoError(t, err)
		conn, err := dial(t.Context(), req)
		var op *net.OpError
		if errors.As(err, &op) {
			assert.Equal(t, map[string]string{"http://127.0.0.1/": "127.0.0.1:80", "https://127.0.0.1/": "127.0.0.1:443",
				"https://127.0.0.1:1/": "127.0.0.1:1"}[url], op.Addr.String())
		} else if conn != nil {
			conn.Close() // something of this machine listens there
		}
	}
}
