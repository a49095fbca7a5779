package fakebank

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// do carries a call out as a language would.
func (f *fixture) do(c Call) Outcome {
	f.t.Helper()
	out, _ := f.bank.act(c, &ruling{})
	return out
}

func holdOf(tradeNo string) Call {
	return Call{Op: OpHold, TradeNo: tradeNo, Merchant: "M", Account: "A", Amount: 500, Currency: "CNY", Repeat: Once}
}

func TestHoldThenCaptureOrRelease(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls []Call
		codes []string
		want  accountView
		lines []string
	}{
		{"captured", []Call{{Op: OpCapture}}, []string{""}, accountView{Debited: 500}, []string{kindHold, kindDebit}},
		{"captured in part", []Call{{Op: OpCapture, Amount: 200}}, []string{""}, accountView{Debited: 200}, []string{kindHold, kindDebit}},
		{"captured twice", []Call{{Op: OpCapture}, {Op: OpCapture}}, []string{"", NotHeld}, accountView{Debited: 500}, []string{kindHold, kindDebit}},
		{"more than held", []Call{{Op: OpCapture, Amount: 501}}, []string{Mismatch}, accountView{Held: 500}, []string{kindHold}},
		{"released", []Call{{Op: OpClose}, {Op: OpClose}}, []string{"", ""}, accountView{}, []string{kindHold, kindRelease, kindClose}},
		{"released, then captured", []Call{{Op: OpClose}, {Op: OpCapture}}, []string{"", NotHeld}, accountView{}, []string{kindHold, kindRelease, kindClose}},
		{"captured, then released", []Call{{Op: OpCapture}, {Op: OpClose}}, []string{"", NotClosed}, accountView{Debited: 500}, []string{kindHold, kindDebit}},
		{"refunded before", []Call{{Op: OpRefund, RefundNo: "R", Amount: 1}}, []string{NotDebited}, accountView{Held: 500}, []string{kindHold}},
		{"held again", []Call{holdOf("T")}, []string{Duplicate}, accountView{Held: 500}, []string{kindHold}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t, func(c *Config) { c.OpeningBalance = 800 })
			require.Equal(t, Held, f.do(holdOf("T")).Status)
			assert.Equal(t, "INSUFFICIENT_FUNDS", f.do(holdOf("T2")).Reason, "what is set aside is not there for others")
			for i, c := range tc.calls {
				c.TradeNo = "T"
				assert.Equal(t, tc.codes[i], f.do(c).Code)
			}
			tc.want.Account, tc.want.Opening = "A", 800
			tc.want.Balance = 800 - tc.want.Held - tc.want.Debited
			assert.Equal(t, tc.want, f.account("A"))
			var lines []string
			for _, e := range f.ledger(kindHold, kindDebit, kindRelease, kindClose, kindRefund) {
				lines = append(lines, e.Kind)
			}
			assert.Equal(t, tc.lines, lines)
		})
	}
}

func TestOncePermitsAnotherTryAfterADecline(t *testing.T) {
	f := start(t, func(c *Config) { c.OpeningBalance = 499 })
	c := holdOf("T")
	require.Equal(t, Open, f.do(Call{Op: OpOpen, TradeNo: "T", Account: "A", Amount: 500, Currency: "CNY"}).Status)
	assert.Equal(t, Failed, f.do(c).Status)
	f.rule("PUT", "accounts/A", object{"opening": 500})
	assert.Equal(t, Held, f.do(c).Status)
	assert.Equal(t, Duplicate, f.do(c).Code)
	c.Op = OpDebit
	assert.Equal(t, Duplicate, f.do(c).Code, "a hold is captured, not debited")
}

func TestOpenedPaymentsMoveNoMoney(t *testing.T) {
	f := start(t)
	f.do(Call{Op: OpOpen, TradeNo: "T", Account: "A", Amount: 500, Currency: "CNY"})
	out, known := f.bank.Look("T", "")
	assert.True(t, known)
	assert.Equal(t, Open, out.Status)
	assert.EqualValues(t, 500, out.Amount)
	assert.Equal(t, NotDebited, f.do(Call{Op: OpRefund, TradeNo: "T", RefundNo: "R", Amount: 1}).Code)
	assert.Equal(t, NotHeld, f.do(Call{Op: OpCapture, TradeNo: "T"}).Code)
	assert.Equal(t, Closed, f.do(Call{Op: OpClose, TradeNo: "T"}).Status)
	assert.Equal(t, Closed, f.do(Call{Op: OpDebit, TradeNo: "T", Account: "A", Amount: 500, Currency: "CNY", Repeat: Once}).Code)
	assert.Zero(t, f.account("A").Debited)
	_, known = f.bank.Look("T9", "")
	assert.False(t, known)
}
