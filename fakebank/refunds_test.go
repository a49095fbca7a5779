package fakebank

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (f *fixture) refund(number, tradeNo string, amount int64) reply {
	return f.send(context.Background(), "POST", f.api.URL+"/v1/refunds", object{"refund_no": number, "trade_no": tradeNo, "amount": amount})
}

func TestRefunds(t *testing.T) {
	for _, bound := range []bool{false, true} {
		t.Run(fmt.Sprint("bound=", bound), func(t *testing.T) {
			f := start(t, func(c *Config) { c.BoundRefunds = bound })
			f.debit("T1")
			f.close("shut")
			for _, tc := range []struct {
				number, trade string
				amount        int64
				http          int
				status, code  any
			}{
				{"R1", "T1", 300, 200, Success, nil},
				{"R1", "T1", 300, 200, Success, nil},
				{"R1", "T1", 200, 409, nil, "MISMATCH"},
				{"R1", "T2", 300, 409, nil, "MISMATCH"},
				{"R2", "T2", 300, 404, nil, "NOT_FOUND"},
				{"R3", "shut", 300, 409, nil, "NOT_DEBITED"},
				{"R4", "T1", 200, 200, Success, nil},
				{"R5", "T1", maxTurnover, 200, Failed, nil},
			} {
				r := f.refund(tc.number, tc.trade, tc.amount)
				assert.Equal(t, tc.http, r.status, "%v: %s", tc, r.text)
				assert.Equal(t, tc.status, func() any {
					if tc.http != 200 {
						return nil
					}
					return r.field(t, "status")
				}(), "%v", tc)
				assert.Equal(t, tc.code, r.field(t, "code"), "%v", tc)
			}
			want := map[bool]string{false: Success, true: Failed}[bound]
			assert.Equal(t, want, f.refund("R6", "T1", 1).field(t, "status"), "the sum is the service's duty unless it is bounded")
			assert.Equal(t, map[bool]int64{false: 501, true: 500}[bound], f.account("A").Refunded)
			assert.Equal(t, 200, f.send(context.Background(), "GET", f.api.URL+"/v1/refunds/R1", nil).status)
			assert.Equal(t, 404, f.send(context.Background(), "GET", f.api.URL+"/v1/refunds/R2", nil).status)
		})
	}
}

func TestSameRefundAtOnce(t *testing.T) {
	f := start(t)
	f.debit("T1")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { assert.Equal(t, 200, f.refund("R1", "T1", 100).status) })
	}
	all.Wait()
	assert.EqualValues(t, 100, f.account("A").Refunded)
	assert.Len(t, f.ledger(kindRefund), 1)
}

func TestAcceptedRefundMovesMoneyWhenSettled(t *testing.T) {
	for _, tc := range []struct {
		name   string
		bound  bool
		settle object
		status string
		given  int64
		line   string
	}{
		{"success", true, object{"status": Success}, Success, 300, kindRefund},
		{"refused late", true, object{"status": Failed, "reason": "RISK"}, Failed, 0, kindDecline},
		{"another was faster", true, object{"status": Success, "after": 201}, Failed, 201, kindDecline},
		{"another was faster, unbounded", false, object{"status": Success, "after": 201}, Success, 501, kindRefund},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t, func(c *Config) { c.BoundRefunds = tc.bound })
			f.debit("T1")
			f.arm(object{"kind": accept.Name, "on": OpRefund, "count": 1})
			require.Equal(t, Processing, f.refund("R1", "T1", 300).field(t, "status"))
			assert.Equal(t, Processing, f.refund("R1", "T1", 300).field(t, "status"), "the same number, the same refund")
			assert.Zero(t, f.account("A").Refunded)
			if after, ok := tc.settle["after"]; ok {
				delete(tc.settle, "after")
				require.Equal(t, Success, f.refund("R2", "T1", int64(after.(int))).field(t, "status"))
			}
			tc.settle["refund_no"] = "R1"
			r := f.rule("POST", "settle", tc.settle)
			require.Equal(t, 200, r.status, r.text)
			assert.Equal(t, tc.status, r.field(t, "status"))
			assert.Equal(t, tc.status, f.refund("R1", "T1", 300).field(t, "status"))
			assert.Equal(t, tc.given, f.account("A").Refunded)
			lines := f.ledger(tc.line)
			assert.Equal(t, "R1", lines[len(lines)-1].RefundNo)
			assert.Equal(t, 409, f.rule("POST", "settle", tc.settle).status, "settled once")
		})
	}
	f := start(t)
	assert.Equal(t, 404, f.rule("POST", "settle", object{"refund_no": "R9", "status": Success}).status)
	assert.Equal(t, 400, f.rule("POST", "settle", object{"refund_no": "R9", "trade_no": "T1", "status": Success}).status)
	assert.Equal(t, 400, f.rule("POST", "settle", object{"status": Success}).status)
}
