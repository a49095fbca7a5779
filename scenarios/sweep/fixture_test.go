package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// debit and debited are the two messages of a debit at the bank.
var (
	debit    = Point{stack.BankLink, history.Request, "debit", 1, "POST /v1/debits"}
	debited  = Point{stack.BankLink, history.Answer, "debit", 1, "answer to debit"}
	paying   = Point{stack.ClientLink, history.Request, "pay", 1, "POST /api/payment/pay"}
	notified = Point{stack.CallbackLink, history.Request, "callback", 1, "POST /api/payment/callback"}
	publish  = Point{stack.QueueLink, history.Request, "publish", 1, "Produce"}
)

func reference(t *testing.T) *targets.Target {
	t.Helper()
	target, err := targets.Bundled(targets.Reference)
	require.NoError(t, err)
	return target
}

func flow(t *testing.T, name string) *Flow {
	t.Helper()
	f, err := FlowNamed(name, "naive", reference(t))
	require.NoError(t, err)
	return f
}

// writes holds what a kind writes for a point of a payment, and that it can be read as a scenario.
func writes(t *testing.T, k *Kind, p Point, want Script) {
	t.Helper()
	f := flow(t, "pay")
	got, why := k.Write(p, f, "first")
	require.Empty(t, why, p)
	assert.Equal(t, want, got, p)
	_, err := NewPlan(&Record{Flow: f, Points: []Point{p}}, 1)
	require.NoError(t, err)
}

// leaves holds that a kind does not fit a point, and says why.
func leaves(t *testing.T, k *Kind, p Point) {
	t.Helper()
	_, why := k.Write(p, flow(t, "pay"), "first")
	assert.NotEmpty(t, why, p)
}
