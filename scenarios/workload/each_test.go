package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestEach(t *testing.T) {
	refuses(t,
		[2]string{"- each: {payments: [A]}", "s.yaml:1:9: each needs payments and steps"},
		[2]string{"- each: {steps: [{pay: {}}]}", "s.yaml:1:9: each needs payments and steps"},
		[2]string{"- each: {payments: [A, B, A], steps: [{pay: {}}]}", `payments: "A" stands there twice`},
		[2]string{"- each: {payments: [A], steps: [{pya: {}}]}", "s.yaml:1:34: unknown step"})

	r := newRig(t, "")
	r.Specs = map[string]PaymentSpec{"B": {Amount: 7, Currency: "JPY"}}
	r.run("- each: {payments: [A, B], steps: [{pay: {}}, {together: [{refund: {}}, {query: {of: A}}]}]}")
	a, b := r.pays(), r.attempts("B", history.OpPay)
	assert.Len(t, a, 1)
	assert.Len(t, b, 1)
	assert.Equal(t, []any{int64(500), "CNY", int64(7), "JPY"}, []any{a[0].Amount, a[0].Currency, b[0].Amount, b[0].Currency})
	assert.Len(t, r.attempts("A", history.OpQuery), 2, "a step that says which payment means that one")
	assert.Len(t, r.attempts("B", history.OpRefund), 1)
	assert.Equal(t, int64(7), r.attempts("B", history.OpRefund)[0].Amount)
	assert.Len(t, r.refunds, 2, "each payment has a refund of its own")
}
