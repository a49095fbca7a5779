package fakebank

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestModesAndRepeatedTradeNumbers(t *testing.T) {
	for _, tc := range []struct {
		mode, name string
		changes    object
		http       int
		code       any  // of the answer to the repeat
		same       bool // the repeat names the bank_id of the first
		debits     int
	}{
		{Dedupe, "same", nil, 200, nil, true, 1},
		{Dedupe, "other trace and url", object{"notify_url": "http://a/b", "extra": 1}, 200, nil, true, 1},
		{Dedupe, "other amount", object{"amount": 501}, 409, "MISMATCH", false, 1},
		{Dedupe, "other account", object{"account": "B"}, 409, "MISMATCH", false, 1},
		{Dedupe, "other currency", object{"currency": "USD"}, 409, "MISMATCH", false, 1},
		{Dedupe, "other merchant", object{"merchant": "N"}, 409, "MISMATCH", false, 1},
		{Refuse, "same", nil, 409, "DUPLICATE", false, 1},
		{Refuse, "other amount", object{"amount": 501}, 409, "DUPLICATE", false, 1},
		{Naive, "same", nil, 200, nil, false, 2},
		{Naive, "other amount", object{"amount": 501}, 200, nil, false, 2},
	} {
		t.Run(tc.mode+" "+tc.name, func(t *testing.T) {
			f := start(t, func(c *Config) { c.Mode = tc.mode })
			first := f.debit("T1")
			require.Equal(t, 200, first.status, first.text)
			again := f.debit("T1", tc.changes)
			assert.Equal(t, tc.http, again.status, again.text)
			assert.Equal(t, tc.code, again.field(t, "code"))
			assert.Equal(t, tc.same, first.field(t, "bank_id") == again.field(t, "bank_id"))
			assert.Len(t, f.ledger(kindDebit), tc.debits)
			assert.Len(t, f.ledger(kindRequest), 2)
			assert.Len(t, f.ledger(kindAnswer), 2)
			assert.Equal(t, Success, f.query("T1").field(t, "status"))
		})
	}
}

func TestModesAndDeclinedNumbers(t *testing.T) {
	for mode, want := range map[string]struct {
		http    int
		debited int64
	}{Dedupe: {200, 0}, Refuse: {409, 0}, Naive: {200, 500}} {
		f := start(t, func(c *Config) { c.Mode, c.OpeningBalance = mode, 499 })
		first := f.debit("T1")
		assert.Equal(t, Failed, first.field(t, "status"))
		assert.Equal(t, "INSUFFICIENT_FUNDS", first.field(t, "reason"))
		f.rule("PUT", "accounts/A", object{"opening": 500})
		assert.Equal(t, want.http, f.debit("T1").status, mode)
		assert.Equal(t, want.debited, f.account("A").Debited, mode)
	}
}

func TestClosedNumbersInEveryMode(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			f := start(t, func(c *Config) { c.Mode = mode })
			for range 2 {
				r := f.close("never-seen")
				assert.Equal(t, 200, r.status)
				assert.Equal(t, Closed, r.field(t, "status"))
			}
			assert.Len(t, f.ledger(kindClose), 1)
			r := f.debit("never-seen")
			assert.Equal(t, 409, r.status)
			assert.Equal(t, "CLOSED", r.field(t, "code"))
			assert.Equal(t, Closed, f.query("never-seen").field(t, "status"))

			f.debit("paid")
			r = f.close("paid")
			assert.Equal(t, 409, r.status)
			assert.Equal(t, Success, r.field(t, "status"))

			f.debit("declined", object{"account": "poor", "amount": int64(maxOpening) + 1})
			assert.Equal(t, 200, f.close("declined").status, "nothing was debited")
			assert.Equal(t, Closed, f.query("declined").field(t, "status"))
			assert.Equal(t, 409, f.debit("declined", object{"account": "poor"}).status)
			assert.Len(t, f.ledger(kindDebit), 1)
			assert.EqualValues(t, 500, f.account("A").Debited)
		})
	}
}

func TestReversedNumberCannotBeClosed(t *testing.T) {
	f := start(t)
	f.debit("T1")
	f.rule("POST", "reverse", object{"trade_no": "T1"})
	r := f.close("T1")
	assert.Equal(t, 409, r.status, "something was debited under it")
	assert.Equal(t, Failed, r.field(t, "status"))
}

func TestQueryOfNothing(t *testing.T) {
	f := start(t)
	r := f.query("T1")
	assert.Equal(t, 404, r.status)
	assert.Equal(t, "NOT_FOUND", r.field(t, "code"))
	assert.Equal(t, 404, f.query("T1").status, "asking does not make it known")
}

func TestCloseAgainstDebit(t *testing.T) {
	for _, mode := range modes {
		f := start(t, func(c *Config) { c.Mode = mode })
		won := map[string]int{}
		for round := range 200 {
			number := fmt.Sprint("T", round)
			gate, all := make(chan struct{}), sync.WaitGroup{}
			var closing, debiting reply
			all.Go(func() { <-gate; closing = f.close(number) })
			all.Go(func() { <-gate; debiting = f.debit(number) })
			close(gate)
			all.Wait()
			require.NotEqual(t, closing.status, debiting.status, "%s: one wins: %s %s", number, closing.text, debiting.text)
			if closing.status == 200 {
				won["close"]++
			} else {
				won["debit"]++
			}
		}
		deeds := map[string]string{}
		for _, e := range f.ledger(kindDebit, kindClose) {
			require.Empty(t, deeds[e.TradeNo], "%s is both closed and debited", e.TradeNo)
			deeds[e.TradeNo] = e.Kind
		}
		assert.Len(t, deeds, 200)
		t.Logf("%s: %v", mode, won)
	}
}

func TestSameNumberAtOnceIsDebitedOnce(t *testing.T) {
	f := start(t)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { assert.Equal(t, 200, f.debit("T1").status) })
	}
	all.Wait()
	assert.Len(t, f.ledger(kindDebit), 1)
	assert.EqualValues(t, 500, f.account("A").Debited)
}

func TestNumbersAreBounded(t *testing.T) {
	f := start(t)
	f.bank.numbers = 1
	assert.Equal(t, 200, f.debit("known").status)
	r := f.debit("new")
	assert.Equal(t, 503, r.status)
	assert.Equal(t, "FULL", r.field(t, "code"))
	assert.Equal(t, 503, f.close("new").status)
	assert.Equal(t, 200, f.debit("known").status, "what is known is never forgotten")
	assert.Equal(t, 200, f.refund("R1", "known", 1).status)
	assert.Equal(t, 503, f.refund("R2", "known", 1).status)
	assert.Equal(t, 200, f.refund("R1", "known", 1).status)
}
