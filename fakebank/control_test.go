package fakebank

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSettings(t *testing.T) {
	f := start(t)
	r := f.rule("PATCH", "settings", object{"mode": Naive, "callback_delay": 5})
	assert.JSONEq(t, `{"mode":"naive","auto_callbacks":false,"callback_delay":5,"reverse_on_refusal":false,"bound_refunds":false,"block_after":0}`, r.text)
	assert.Equal(t, r.text, f.rule("GET", "settings", nil).text)
	f.debit("T1")
	assert.Equal(t, 200, f.debit("T1").status)
	assert.Len(t, f.ledger(kindDebit), 2)
	for _, tc := range []struct{ body, want string }{
		{`{"mode":"naif"}`, `did you mean "naive"?`},
		{`{"mod":"naive"}`, `unknown field "mod": use auto_callbacks, block_after, bound_refunds, callback_delay, mode, reverse_on_refusal`},
		{`{"callback_delay":-1}`, "callback_delay -1"},
		{`{"auto_callbacks":1}`, "auto_callbacks must be true or false, not number"},
		{`{"bound_refunds":true,"mode":"x"}`, `mode "x"`},
	} {
		bad := f.rule("PATCH", "settings", tc.body)
		assert.Equal(t, 400, bad.status)
		assert.Contains(t, bad.field(t, "message"), tc.want)
	}
	assert.Equal(t, r.text, f.rule("GET", "settings", nil).text, "a bad change changes nothing")
}

func TestControlRefusals(t *testing.T) {
	f := start(t)
	f.debit("T1")
	f.close("shut")
	for _, tc := range []struct {
		method, path string
		body         any
		status       int
		want         string
	}{
		{"GET", "behaviours/none", nil, 404, `no behaviour "none"`},
		{"GET", "behaviours/none/wait", nil, 404, `no behaviour "none"`},
		{"POST", "behaviours/none/release", nil, 404, `no behaviour "none"`},
		{"DELETE", "behaviours/none", nil, 404, `no behaviour "none"`},
		{"GET", "behaviours/none/wait?fried=1", nil, 400, `did you mean "fired"?`},
		{"GET", "behaviours/none/wait?fired=x", nil, 400, "fired=x: use a whole number"},
		{"GET", "ledger?after=-1", nil, 400, "after=-1"},
		{"GET", "ledger?from=1", nil, 400, `unknown parameter "from": use after, limit`},
		{"POST", "settle", object{"trade_no": "T1", "status": "SUCESS"}, 400, `did you mean "SUCCESS"?`},
		{"POST", "settle", object{"trade_no": "T9", "status": Success}, 404, `"T9"`},
		{"POST", "settle", object{"trade_no": "T1", "status": Success}, 409, "nothing to settle"},
		{"POST", "settle", object{"trade_no": "shut", "status": Failed}, 409, "nothing to settle"},
		{"POST", "settle", object{"trade_no": "T1", "state": Success}, 400, `unknown field "state"`},
		{"POST", "reverse", object{"trade_no": "T9"}, 404, `"T9"`},
		{"POST", "reverse", object{"trade_no": "shut"}, 409, "nothing stands"},
		{"POST", "reverse", object{"trade": "T1"}, 400, `did you mean "trade_no"?`},
		{"PUT", "accounts/A", object{}, 400, "opening"},
		{"PUT", "accounts/A", object{"opening": -1}, 400, "opening"},
	} {
		r := f.rule(tc.method, tc.path, tc.body)
		assert.Equal(t, tc.status, r.status, "%s %s: %s", tc.method, tc.path, r.text)
		assert.Contains(t, r.field(t, "message"), tc.want)
	}
	assert.Len(t, f.ledger(kindDebit, kindReversal, kindDecline), 1)
}

func TestReverse(t *testing.T) {
	f := start(t, func(c *Config) { c.Mode = Naive })
	f.debit("T1")
	f.debit("T1")
	r := f.rule("POST", "reverse", object{"trade_no": "T1"})
	assert.EqualValues(t, 2, r.field(t, "reversed"))
	a := f.account("A")
	assert.Equal(t, a.Opening, a.Balance)
	assert.EqualValues(t, 1000, a.Reversed)
	assert.Len(t, f.ledger(kindReversal), 2)
	assert.Equal(t, 409, f.rule("POST", "reverse", object{"trade_no": "T1"}).status, "undone once")

	f.debit("T2")
	f.refund("R1", "T2", 1)
	assert.Equal(t, 409, f.rule("POST", "reverse", object{"trade_no": "T2"}).status, "money is given back one way or the other")
}

func TestLookingAtAnAccountDoesNotMakeIt(t *testing.T) {
	f := start(t, func(c *Config) { c.OpeningBalance = 7 })
	assert.Equal(t, accountView{Account: "new", Opening: 7, Balance: 7}, f.account("new"))
	assert.Empty(t, f.bank.accounts)
}

func TestWaitEndsAtItsTime(t *testing.T) {
	clock := newFakeClock()
	f := start(t, func(c *Config) { c.Clock = clock })
	id := f.arm(object{"kind": hold.Name})
	polled := make(chan reply, 1)
	go func() { polled <- f.rule("GET", "behaviours/"+id+"/wait?fired=1&timeout_ns=5000000000", nil) }()
	assert.Equal(t, 5*time.Second, receive(t, clock.asked))
	clock.advance(4 * time.Second)
	assert.Empty(t, polled)
	clock.advance(time.Second)
	assert.Equal(t, 0, f.counters(receive(t, polled)).Fired)
}

func TestResetForgetsAll(t *testing.T) {
	clock := newFakeClock()
	f, h := start(t, automatic(clock)), listen(t)
	f.debit("T1", object{"notify_url": h.URL})
	receive(t, clock.asked)
	f.arm(object{"kind": fail.Name})
	f.rule("POST", "reset", nil)
	assert.Eventually(t, func() bool { return f.status() == statusView{} }, patience, pollEvery)
	clock.advance(time.Hour)
	assert.Empty(t, h.got, "callbacks of forgotten debits are not sent")
	assert.Equal(t, Success, f.debit("T1").field(t, "status"), "nothing is armed, nothing known")
	assert.EqualValues(t, 500, f.account("A").Debited)
}
