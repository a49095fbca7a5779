package fakebank

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDeclineMovesNoMoney(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": decline.Name, "reason": "CARD_EXPIRED", "nth": 2, "count": 1})
	assert.Equal(t, Success, f.debit("T1").field(t, "status"))
	r := f.debit("T2")
	assert.Equal(t, 200, r.status)
	assert.Equal(t, Failed, r.field(t, "status"))
	assert.Equal(t, "CARD_EXPIRED", r.field(t, "reason"))
	assert.Equal(t, Success, f.debit("T3").field(t, "status"))
	assert.Equal(t, Failed, f.debit("T2").field(t, "status"), "refused for good")
	assert.EqualValues(t, 1000, f.account("A").Debited)
	lines := f.ledger(kindDecline)
	assert.Len(t, lines, 1)
	assert.Equal(t, "CARD_EXPIRED", lines[0].Detail)
	c := f.wait(id, "fired=1")
	assert.Equal(t, 4, c.Matched)
	assert.Equal(t, 1, c.Fired)
}

func TestDeclineOfARepeatIsNotFelt(t *testing.T) {
	f := start(t)
	f.debit("T1")
	id := f.arm(object{"kind": decline.Name})
	assert.Equal(t, Success, f.debit("T1").field(t, "status"), "the first answer again")
	c := f.wait(id, "timeout_ns=0&fired=1")
	assert.Equal(t, 1, c.Matched)
	assert.Equal(t, 0, c.Fired)
}

func TestDeclineOfARefund(t *testing.T) {
	f := start(t)
	f.debit("T1")
	f.arm(object{"kind": decline.Name, "on": "refund"})
	for range 2 {
		r := f.send(context.Background(), "POST", f.api.URL+"/v1/refunds", object{"refund_no": "R1", "trade_no": "T1", "amount": 5})
		assert.Equal(t, Failed, r.field(t, "status"))
	}
	assert.EqualValues(t, 0, f.account("A").Refunded)
	assert.Len(t, f.ledger(kindDecline), 1)
}
