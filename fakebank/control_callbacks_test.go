package fakebank

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (f *fixture) fire(body object) firedView {
	f.t.Helper()
	var v firedView
	r := f.rule("POST", "callbacks", body)
	require.Equal(f.t, 200, r.status, "%s %v", r.text, r.err)
	require.NoError(f.t, json.Unmarshal([]byte(r.text), &v))
	return v
}

func TestFiringSaysWhatItIsTold(t *testing.T) {
	clock := newFakeClock()
	f, h := start(t, func(c *Config) { c.Clock = clock }), listen(t)
	f.debit("T1", object{"notify_url": h.URL})
	own := f.fire(object{"trade_no": "T1", "status": Success}).Deliveries[0].NotificationID
	receive(t, h.got)
	for _, tc := range []struct {
		name   string
		body   object
		ids    []string // nil: all fresh
		amount int64
		cur    string
		signed string // the secret, or nothing for none
		skew   int64
	}{
		{"the debit's own", object{}, []string{own}, 500, "CNY", "secret", 0},
		{"copies of its own", object{"copies": 3}, []string{own, own, own}, 500, "CNY", "secret", 0},
		{"fresh ids", object{"copies": 3, "fresh_ids": true}, nil, 500, "CNY", "secret", 0},
		{"ids given", object{"notification_ids": []string{"x", "y"}}, []string{"x", "y"}, 500, "CNY", "secret", 0},
		{"ids in turn", object{"notification_ids": []string{"x", "y"}, "copies": 3}, []string{"x", "y", "x"}, 500, "CNY", "secret", 0},
		{"amount", object{"amount": 501}, []string{own}, 501, "CNY", "secret", 0},
		{"no amount", object{"amount": 0}, []string{own}, 0, "CNY", "secret", 0},
		{"currency", object{"currency": "JPY"}, []string{own}, 500, "JPY", "secret", 0},
		{"bad signature", object{"sign": "bad"}, []string{own}, 500, "CNY", "secret forged", 0},
		{"no signature", object{"sign": "none"}, []string{own}, 500, "CNY", "", 0},
		{"old", object{"skew": -time.Hour}, []string{own}, 500, "CNY", "secret", -3600},
		{"together", object{"together": true, "copies": 2}, []string{own, own}, 500, "CNY", "secret", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.body["trade_no"], tc.body["status"] = "T1", Failed
			before := len(f.ledger(kindCallback))
			done := f.fire(tc.body).Deliveries
			seen := map[string]bool{own: true}
			for i, d := range done {
				got := receive(t, h.got)
				assert.Equal(t, delivery{NotificationID: d.NotificationID, Status: 200}, d)
				if tc.ids != nil {
					assert.Equal(t, tc.ids[i], d.NotificationID)
				} else {
					assert.False(t, seen[d.NotificationID])
					seen[d.NotificationID] = true
				}
				assert.Equal(t, Failed, got.body.Status)
				assert.Equal(t, tc.amount, got.body.Amount)
				assert.Equal(t, tc.cur, got.body.Currency)
				if tc.signed == "" {
					assert.Empty(t, got.signature+got.timestamp)
					continue
				}
				assert.Equal(t, strconv.FormatInt(clock.Now().Unix()+tc.skew, 10), got.timestamp)
				assert.Equal(t, Sign(tc.signed, got.timestamp, []byte(got.text)), got.signature)
			}
			if tc.ids != nil {
				assert.Len(t, done, len(tc.ids))
			}
			assert.Len(t, f.ledger(kindCallback), before+len(done))
		})
	}
	assert.Equal(t, Success, f.query("T1").field(t, "status"), "what is said in callbacks moves no money")
	assert.Empty(t, h.got)
}

func TestForgedCallbacks(t *testing.T) {
	f, h := start(t), listen(t)
	for _, tc := range []struct {
		body object
		want string
	}{
		{object{"trade_no": "T9", "status": Success}, "give amount and currency"},
		{object{"trade_no": "T9", "status": Success, "amount": 5, "currency": "CNY"}, "no debit has named a notify_url yet"},
		{object{"status": Success}, "trade_no must have"},
		{object{"trade_no": "T9"}, "status must have"},
		{object{"trade_no": "T9", "status": Success, "sign": "godo"}, `did you mean "good"?`},
		{object{"trade_no": "T9", "status": Success, "copies": -1}, "copies -1"},
		{object{"trade_no": "T9", "status": Success, "copies": maxCopies + 1}, "copies 10001"},
		{object{"trade_no": "T9", "status": Success, "every": -1}, "every -1"},
		{object{"trade_no": "T9", "status": Success, "every": 1, "together": true}, "exclude each other"},
		{object{"trade_no": "T9", "status": Success, "fresh_ids": true, "notification_ids": []string{"x"}}, "exclude each other"},
		{object{"trade_no": "T9", "status": Success, "notify_url": "nowhere"}, "notify_url must be"},
		{object{"trade_no": "T9", "status": Success, "copy": 2}, `unknown field "copy"`},
	} {
		r := f.rule("POST", "callbacks", tc.body)
		assert.Equal(t, 400, r.status)
		assert.Contains(t, r.field(t, "message"), tc.want)
	}
	f.debit("T1", object{"notify_url": h.URL})
	forged := object{"trade_no": "T9", "status": Success, "amount": 5, "currency": "CNY", "sign": "bad"}
	assert.Equal(t, 200, f.fire(forged).Deliveries[0].Status)
	got := receive(t, h.got).body
	assert.Equal(t, "T9", got.TradeNo)
	assert.NotEmpty(t, got.NotificationID)
	assert.Contains(t, f.ledger(kindCallback)[0].Detail, "signature bad")
	assert.Equal(t, 404, f.query("T9").status, "a forged callback makes no debit")
}

func TestFiringRetriesUnlessOnce(t *testing.T) {
	for _, together := range []bool{false, true} {
		f := start(t, func(c *Config) { c.CallbackRetry, c.ReverseOnRefusal = 1, true })
		h := listen(t, 500, 500)
		f.debit("T1", object{"notify_url": h.URL})
		done := f.fire(object{"trade_no": "T1", "status": Success, "together": together})
		assert.Equal(t, 200, done.Deliveries[0].Status)
		assert.Len(t, f.ledger(kindCallback), 3)

		h.mu.Lock()
		h.replies = []int{401, 500, 500, 500}
		h.mu.Unlock()
		for _, untrue := range []object{{"sign": "bad"}, {"status": Failed}, {"amount": 1}} {
			body := object{"trade_no": "T1", "status": Success, "together": together, "once": true}
			for k, v := range untrue {
				body[k] = v
			}
			f.fire(body)
		}
		assert.Empty(t, f.ledger(kindReversal), "refusing what is not so is no reason to undo the debit")
		assert.Equal(t, 0, f.status().CallbacksGivenUp)
		done = f.fire(object{"trade_no": "T1", "status": Success, "together": together, "once": true})
		assert.Equal(t, 500, done.Deliveries[0].Status)
		assert.Len(t, f.ledger(kindReversal), 1)
		assert.Equal(t, 1, f.status().CallbacksGivenUp)
	}
}

func TestFiringOneAfterTheOther(t *testing.T) {
	f, h := start(t), listen(t)
	var inside, most atomic.Int32
	h.before = func() {
		most.Store(max(most.Load(), inside.Add(1)))
		inside.Add(-1)
	}
	f.debit("T1", object{"notify_url": h.URL})
	f.fire(object{"trade_no": "T1", "status": Success, "copies": 20})
	assert.Len(t, h.got, 20)
	assert.EqualValues(t, 1, most.Load())
}

func TestFiringEvery(t *testing.T) {
	clock := newFakeClock()
	f, h := start(t, func(c *Config) { c.Clock = clock }), listen(t)
	f.debit("T1", object{"notify_url": h.URL})
	done := make(chan firedView, 1)
	go func() {
		done <- f.fire(object{"trade_no": "T1", "status": Success, "copies": 3, "every": 10 * time.Second})
	}()
	receive(t, h.got)
	receive(t, clock.asked)
	receive(t, clock.asked)
	for range 2 {
		assert.Empty(t, h.got)
		clock.advance(10 * time.Second)
		receive(t, h.got)
	}
	v := receive(t, done)
	assert.Len(t, v.Deliveries, 3)
	assert.Equal(t, 20*time.Second, v.Spread)
}

func TestFiringStopsWithItsCaller(t *testing.T) {
	clock := newFakeClock()
	f, h := start(t, func(c *Config) { c.Clock = clock }), listen(t)
	f.debit("T1", object{"notify_url": h.URL})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan reply, 1)
	go func() {
		done <- f.send(ctx, "POST", f.control.URL+"/control/callbacks",
			object{"trade_no": "T1", "status": Success, "copies": 2, "every": time.Hour})
	}()
	receive(t, h.got)
	receive(t, clock.asked)
	cancel()
	receive(t, done)
	require.Eventually(t, func() bool { return f.status().CallbacksPending == 0 }, patience, pollEvery)
	assert.Len(t, f.ledger(kindCallback), 1)
}
