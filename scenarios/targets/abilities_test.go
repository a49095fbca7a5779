package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLacks(t *testing.T) {
	full := &Target{
		Name: "full", Processes: Processes{{Role: "full", Clock: "offset"}}, Refund: Refund{Submit: &Request{}},
		Promise: Promises{RefusesOtherBody: true, Callbacks: true},
		Payment: Payment{Each: []PaymentStep{{Submit: &Request{Post: "/pay/${order}", Headers: map[string]string{"X-Key": "${key}"}}}}, Query: &Request{}, Close: &Request{}, Appeal: &Request{}, Doors: map[string]*Request{"checkout": {}}},
		Vars:    map[string]string{"merchant": "M-1", "till": "7"}, Callers: map[string]map[string]string{"other": {"merchant": "M-2"}},
	}
	bare := &Target{Name: "bare"}
	for _, ability := range append([]string{Door("checkout"), Caller("other")}, Abilities...) {
		assert.True(t, Known(ability), ability)
		assert.Empty(t, full.Lacks(ability), ability)
		switch ability {
		case BankPending, BankQuery, BankStatus:
			assert.Empty(t, bare.Lacks(ability), "without a bank it is the link that is missing")
		case Ordered:
			assert.Contains(t, bare.Lacks(ability), "the submit of target bare does not say ${order}")
		default:
			assert.Contains(t, bare.Lacks(ability), "target bare says nothing under ", ability)
		}
	}
	assert.Equal(t, "target full says nothing under payment.doors.back; there is checkout", full.Lacks(Door("back")))
	assert.Equal(t, "target bare says nothing under callers.x", bare.Lacks(Caller("x")))
	assert.Empty(t, bare.Lacks("bank"), "a link is not the target's")
	for _, name := range []string{"", "door", "door ", "refunds", "caller"} {
		assert.False(t, Known(name), name)
	}
	assert.Equal(t, map[string]string{"merchant": "M-2", "till": "7"}, full.VarsOf("other"))
	assert.Equal(t, "M-1", full.VarsOf("")["merchant"])
}

func TestWhatABankLacks(t *testing.T) {
	target, err := Load("t.yaml", []byte(`
target: shop
processes: {api: {run: [./api], listen: auto}}
payment: {each: [{submit: {post: /pay, json: {id: "${key}"}}}]}
rows: {success: SELECT 1}
banks:
  psp: {calls: [{on: POST /charge, money: debit, amount: body.amount, reply: {status: 202, json: {}}}]}
`))
	require.NoError(t, err)
	assert.Equal(t, "bank psp of target shop has not an answer that says that it has not decided yet", target.Lacks(BankPending))
	assert.Equal(t, "bank psp of target shop has not a call that asks about a payment", target.Lacks(BankQuery))
	assert.Equal(t, "bank psp of target shop has not answers that say how a payment stands", target.Lacks(BankStatus))
	assert.Contains(t, target.Lacks(Ordered), "under a new key it is another payment")
	reference := bundledReference(t)
	for _, ability := range []string{BankPending, BankQuery, BankStatus, Ordered, KeyHeader} {
		assert.Empty(t, reference.Lacks(ability), ability)
	}
}
