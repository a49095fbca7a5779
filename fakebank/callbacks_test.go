package fakebank

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pollEvery = time.Millisecond

// hook is a service that hears callbacks.
type hook struct {
	*httptest.Server
	got chan heard

	mu      sync.Mutex
	replies []int  // one after the other; then 200
	before  func() // runs before an answer
}

type heard struct {
	body      notificationView
	text      string
	timestamp string
	signature string
	remote    string
}

func listen(t *testing.T, replies ...int) *hook {
	h := &hook{got: make(chan heard, 1000), replies: replies}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	one := heard{text: string(text), timestamp: r.Header.Get(headerTimestamp), signature: r.Header.Get(headerSignature), remote: r.RemoteAddr}
	_ = json.Unmarshal(text, &one.body)
	h.mu.Lock()
	status, before := 200, h.before
	if len(h.replies) > 0 {
		status, h.replies = h.replies[0], h.replies[1:]
	}
	h.mu.Unlock()
	h.got <- one
	if before != nil {
		before()
	}
	if status == http.StatusFound {
		w.Header().Set("Location", h.URL)
	}
	w.WriteHeader(status)
}

func automatic(clock Clock) func(*Config) {
	return func(c *Config) {
		c.AutoCallbacks, c.Clock, c.CallbackDelay, c.CallbackRetry = true, clock, 70*time.Millisecond, time.Second
	}
}

func TestCallbackFollowsTheAnswer(t *testing.T) {
	for _, tc := range []struct {
		name      string
		behaviour object
		status    string
	}{
		{"answered", nil, Success},
		{"declined", object{"kind": decline.Name}, Failed},
		{"dropped", object{"kind": drop.Name}, Success},
		{"silent", object{"kind": drop.Name, "how": "silence"}, Success},
		{"hidden behind a 5xx", object{"kind": fail.Name}, Success},
	} {
		t.Run(tc.name, func(t *testing.T) {
			clock := newFakeClock()
			f, h := start(t, automatic(clock)), listen(t)
			if tc.behaviour != nil {
				f.arm(tc.behaviour)
			}
			answer := f.later("T1", object{"notify_url": h.URL})
			require.Equal(t, 70*time.Millisecond, receive(t, clock.asked))
			assert.Empty(t, h.got)
			clock.advance(70 * time.Millisecond)
			got := receive(t, h.got)
			assert.Equal(t, tc.status, got.body.Status)
			assert.Equal(t, "T1", got.body.TradeNo)
			assert.EqualValues(t, 500, got.body.Amount)
			assert.Equal(t, "CNY", got.body.Currency)
			assert.NotEmpty(t, got.body.NotificationID)
			assert.Equal(t, strconv.FormatInt(clock.Now().Unix(), 10), got.timestamp)
			assert.Equal(t, Sign("secret", got.timestamp, []byte(got.text)), got.signature)
			require.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
			lines := f.ledger(kindAnswer, kindCallback)
			require.Len(t, lines, 2)
			assert.Equal(t, kindAnswer, lines[0].Kind)
			assert.Equal(t, 200, lines[1].HTTP)
			assert.Equal(t, got.body.NotificationID, lines[1].NotificationID)
			assert.Equal(t, "A", lines[1].Account)
			f.rule("POST", "reset", nil)
			receive(t, answer)
		})
	}
}

func TestCallbackWaitsForAHeldAnswer(t *testing.T) {
	clock := newFakeClock()
	f, h := start(t, automatic(clock)), listen(t)
	id := f.arm(object{"kind": hold.Name})
	answer := f.later("T1", object{"notify_url": h.URL})
	f.wait(id, "holding=1")
	assert.Equal(t, 30*time.Second, receive(t, clock.asked), "only the long poll above has asked for a timer")
	f.rule("POST", "behaviours/"+id+"/release", nil)
	receive(t, answer)
	assert.Equal(t, 70*time.Millisecond, receive(t, clock.asked))
}

func TestNoCallback(t *testing.T) {
	f, h := start(t, automatic(SystemClock()), func(c *Config) { c.CallbackDelay = 0 }), listen(t)
	f.debit("no-url")
	f.debit("seen", object{"notify_url": h.URL})
	receive(t, h.got)
	f.debit("seen", object{"notify_url": h.URL}) // a repeat is answered again and notified no second time
	id := f.arm(object{"kind": accept.Name})
	f.debit("accepted", object{"notify_url": h.URL})
	f.rule("DELETE", "behaviours/"+id, nil)
	f.rule("PATCH", "settings", object{"auto_callbacks": false})
	f.debit("off", object{"notify_url": h.URL})
	require.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
	assert.Empty(t, h.got)
	assert.Len(t, f.ledger(kindCallback), 1)
}

func TestCallbackBacksOff(t *testing.T) {
	clock := newFakeClock()
	f := start(t, automatic(clock))
	h := listen(t, 500, 404, 302, 503, 401, 400)
	f.debit("T1", object{"notify_url": h.URL})
	var first heard
	for i, delay := range []time.Duration{70 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second} {
		require.Equal(t, delay, receive(t, clock.asked))
		clock.advance(delay)
		got := receive(t, h.got)
		if i == 0 {
			first = got
		}
		assert.Equal(t, first.text, got.text, "one notification, one body")
		assert.Equal(t, strconv.FormatInt(clock.Now().Unix(), 10), got.timestamp, "signed anew")
		assert.Equal(t, Sign("secret", got.timestamp, []byte(got.text)), got.signature)
	}
	require.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
	assert.Equal(t, 1, f.status().CallbacksGivenUp)
	var statuses []int
	for _, e := range f.ledger(kindCallback) {
		statuses = append(statuses, e.HTTP)
	}
	assert.Equal(t, []int{500, 404, 302, 503, 401, 400}, statuses, "a redirect is not followed")
	assert.Empty(t, f.ledger(kindReversal))
}

func TestCallbackWithoutAnAnswer(t *testing.T) {
	t.Run("refused connection", func(t *testing.T) {
		h := listen(t)
		h.Close()
		lostCallback(t, h.URL, patience, "connection refused")
	})
	t.Run("time-out", func(t *testing.T) {
		h, stop := listen(t), make(chan struct{})
		h.before = func() { <-stop }
		t.Cleanup(func() { close(stop) })
		lostCallback(t, h.URL, 20*time.Millisecond, "deadline exceeded")
	})
}

func lostCallback(t *testing.T, url string, within time.Duration, why string) {
	f := start(t, automatic(SystemClock()), func(c *Config) {
		c.CallbackDelay, c.CallbackRetry, c.CallbackTries, c.CallbackTimeout = 0, 1, 2, within
		c.ReverseOnRefusal = true
	})
	f.debit("T1", object{"notify_url": url})
	require.Eventually(t, func() bool { return f.status().CallbacksGivenUp == 1 }, patience, pollEvery)
	lines := f.ledger(kindCallback)
	require.Len(t, lines, 2)
	for _, e := range lines {
		assert.Equal(t, 0, e.HTTP)
		assert.Contains(t, e.Detail, why)
	}
	assert.Empty(t, f.ledger(kindReversal), "silence is no refusal")
}

func TestReverseOnRefusal(t *testing.T) {
	for _, tc := range []struct {
		name     string
		replies  []int
		on       bool
		reversed bool
	}{
		{"refused for good", []int{500, 500}, true, true},
		{"refused once", []int{500}, true, false},
		{"mode off", []int{500, 500}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t, automatic(SystemClock()), func(c *Config) {
				c.CallbackDelay, c.CallbackRetry, c.CallbackTries, c.ReverseOnRefusal = 0, 1, 2, tc.on
			})
			h := listen(t, tc.replies...)
			f.debit("T1", object{"notify_url": h.URL})
			receive(t, h.got)
			receive(t, h.got)
			require.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
			if !tc.reversed {
				assert.Empty(t, f.ledger(kindReversal))
				assert.Equal(t, Success, f.query("T1").field(t, "status"))
				return
			}
			lines := f.ledger(kindReversal)
			require.Len(t, lines, 1)
			assert.Equal(t, f.ledger(kindDebit)[0].BankID, lines[0].BankID)
			assert.EqualValues(t, 500, lines[0].Amount)
			assert.Equal(t, "REVERSED", f.query("T1").field(t, "reason"))
			a := f.account("A")
			assert.Equal(t, a.Opening, a.Balance)
		})
	}
}

func TestCallbackConnections(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		f := start(t, func(c *Config) { c.CallbackFresh = fresh })
		h := listen(t)
		f.debit("T1", object{"notify_url": h.URL})
		f.rule("POST", "callbacks", object{"trade_no": "T1", "status": Success, "copies": 2})
		one, two := receive(t, h.got), receive(t, h.got)
		assert.Equal(t, fresh, one.remote != two.remote, "fresh=%v", fresh)
	}
}

func TestRefundIsNotified(t *testing.T) {
	f, h := start(t, automatic(SystemClock()), func(c *Config) { c.CallbackDelay = 0 }), listen(t)
	f.debit("T1")
	f.send(context.Background(), "POST", f.api.URL+"/v1/refunds", object{"refund_no": "R1", "trade_no": "T1", "amount": 5, "notify_url": h.URL})
	got := receive(t, h.got).body
	assert.Equal(t, "R1", got.RefundNo)
	assert.EqualValues(t, 5, got.Amount)
	assert.Equal(t, Success, got.Status)
	require.Eventually(t, func() bool { return len(f.ledger(kindCallback)) == 1 }, patience, pollEvery)
	assert.Equal(t, OpRefund, f.ledger(kindCallback)[0].Op)
}

func TestTooManyNotificationsAreGivenUp(t *testing.T) {
	f := start(t)
	f.bank.mu.Lock()
	f.bank.pending = maxPending
	f.bank.mu.Unlock()
	f.bank.notify(&notice{Notification: Notification{ID: "N"}, life: context.Background()}, 0)
	f.bank.mu.Lock()
	f.bank.pending = 0
	f.bank.mu.Unlock()
	assert.Equal(t, 1, f.status().CallbacksGivenUp)
	assert.Len(t, f.ledger(kindError), 1)
}

func TestAnEndpointThatRefusesIsBlocked(t *testing.T) {
	f := start(t, func(c *Config) { c.BlockAfter, c.CallbackTries = 3, 1 })
	hook := listen(t, 500, 404, 200, 500, 404, 409)
	fire := func(more ...object) string {
		params := object{"trade_no": "T9", "status": Success, "amount": 5, "currency": "CNY", "notify_url": hook.URL, "fresh_ids": true}
		for _, m := range more {
			for name, value := range m {
				params[name] = value
			}
		}
		return f.rule("POST", "callbacks", params).text
	}
	for range 5 {
		fire()
	}
	assert.Zero(t, f.status().Blocked, "three in a row, not in all")
	fire(object{"sign": signBad})
	assert.Zero(t, f.status().Blocked, "what is forged has every right to be refused")
	hook.mu.Lock()
	hook.replies = []int{410}
	hook.mu.Unlock()
	fire()
	assert.Equal(t, 1, f.status().Blocked)
	got := len(hook.got)
	assert.Contains(t, fire(), "blocked")
	assert.Len(t, hook.got, got, "nothing is sent any more")
	assert.Equal(t, 200, f.rule("PATCH", "settings", object{"block_after": 0}).status)
	fire()
	assert.Len(t, hook.got, got+1)
	assert.Equal(t, 400, f.rule("PATCH", "settings", object{"block_after": -1}).status)
}
