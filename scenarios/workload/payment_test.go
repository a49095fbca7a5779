package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestPaymentsAreMadeUpFromTheSeed(t *testing.T) {
	r := newRig(t, "")
	a, b := r.payment("", ""), r.payment("B", "")
	assert.Same(t, a, r.payment("A", ""))
	assert.NotEqual(t, a.Order, b.Order)
	assert.NotEqual(t, a.Account, b.Account, "an account of its own, so that a debit can be joined to its order")
	assert.Equal(t, history.Payment{
		Order: "O-" + a.trace[2:], Label: "A", Merchant: "M-1", Account: "A-" + a.trace[2:], Channel: "WECHAT", Amount: 500,
		Currency: "CNY", Expect: &history.Expect{Status: []string{"A"}},
	}, a.Payment)

	again := &Env{Stack: r.Stack, Recorder: r.Recorder, Expect: r.Expect, Stream: r.Stream}
	again.Init()
	twin := again.payment("A", "")
	assert.Equal(t, a.Order, twin.Order, "the same seed, the same payment")
	assert.GreaterOrEqual(t, twin.Amount, int64(100), "an amount that is not given is made up")
	assert.Equal(t, "WECHAT", twin.Channel)

	other := &Env{Stack: r.Stack, Recorder: r.Recorder, Expect: r.Expect, Stream: r.Stream, Spec: PaymentSpec{Currency: "JPY", Channel: "BANK", Amount: 7}}
	other.Init()
	c := other.payment("C", "")
	assert.Equal(t, []any{"JPY", "BANK", int64(7)}, []any{c.Currency, c.Channel, c.Amount})
	probe := other.beginProbe("probe")
	assert.NotEqual(t, int64(7), probe.Amount, "the amount of the scenario is the scenario's")
}

func TestPaymentsAreFoundByLabel(t *testing.T) {
	r := newRig(t, "")
	r.payment("first", "")
	_, err := r.known("frist")
	require.EqualError(t, err, `unknown payment "frist"; did you mean "first"?; a payment begins with its first pay step`)
	order, err := r.orderOf("first")
	require.NoError(t, err)
	assert.Equal(t, order, r.Stack.Joiner.Order(order))
	_, err = r.orderOf("")
	require.ErrorContains(t, err, `unknown payment "A"`)
}

func TestPaymentSpec(t *testing.T) {
	require.NoError(t, (&PaymentSpec{}).Validate())
	require.EqualError(t, (&PaymentSpec{Amount: -5}).Validate(), "amount: from 1 to 9007199254740991")
}
