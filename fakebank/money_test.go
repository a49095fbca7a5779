package fakebank

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInsufficientFunds(t *testing.T) {
	f := start(t, func(c *Config) { c.Accounts = map[string]int64{"poor": 700} })
	assert.Equal(t, Success, f.debit("T1", object{"account": "poor"}).field(t, "status"))
	r := f.debit("T2", object{"account": "poor"})
	assert.Equal(t, 200, r.status)
	assert.Equal(t, Failed, r.field(t, "status"))
	assert.Equal(t, "INSUFFICIENT_FUNDS", r.field(t, "reason"))
	assert.Equal(t, Success, f.debit("T3", object{"account": "poor", "amount": 200}).field(t, "status"), "to the last unit")
	assert.Equal(t, accountView{Account: "poor", Opening: 700, Debited: 700}, f.account("poor"))
	assert.Equal(t, Success, f.debit("T4", object{"account": "rich"}).field(t, "status"))
}

func TestCanDebit(t *testing.T) {
	for _, tc := range []struct {
		name   string
		a      account
		amount int64
		want   string
	}{
		{"all of it", account{opening: 500}, 500, ""},
		{"one too much", account{opening: 500}, 501, "INSUFFICIENT_FUNDS"},
		{"after a refund", account{opening: 500, debited: 500, refunded: 100}, 100, ""},
		{"after a reversal", account{opening: 500, debited: 500, reversed: 500}, 500, ""},
		{"opening lowered below the debits", account{opening: 100, debited: 500}, 1, "INSUFFICIENT_FUNDS"},
		{"largest amount", account{opening: maxOpening}, math.MaxInt64, "INSUFFICIENT_FUNDS"},
		{"turnover", account{opening: maxOpening, debited: maxTurnover, refunded: maxTurnover}, 1, "LIMIT_EXCEEDED"},
		{"richest", account{opening: maxOpening, debited: 0, refunded: maxTurnover}, maxTurnover, ""},
	} {
		assert.Equal(t, tc.want, tc.a.canDebit(tc.amount), tc.name)
	}
}

func TestStandingAct(t *testing.T) {
	s, p, x := &act{status: Success, amount: 5}, &act{status: Processing, amount: 7}, &act{status: Failed, amount: 9}
	for _, tc := range []struct {
		acts []*act
		want *act
		held int64
	}{
		{nil, nil, 0},
		{[]*act{x}, x, 0},
		{[]*act{p, x}, p, 0},
		{[]*act{s, p, x}, s, 5},
		{[]*act{x, {status: Success, amount: 6}, s}, s, 11},
	} {
		tr := trade{acts: tc.acts}
		assert.Same(t, tc.want, tr.standing())
		assert.Equal(t, tc.held, tr.taken())
	}
}
