package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// One seed makes one plan: orders, labels, accounts and amounts, and the evidence about them.
func TestSeedReproducesThePlan(t *testing.T) {
	// Two debits are demanded of every payment, so that each is found wanting and named in the result.
	file := scenarioFile(t, "three-payments", `title: Three customers pay, and one clicks twice
steps:
  - pay: {of: A}
  - pay: {of: B}
  - pay: {of: C}
  - pay: {of: A}
expect: {debits: 2}
`)
	plan := func(seed string) ([]history.Payment, []reports.Order) {
		out := filepath.Join(t.TempDir(), "out")
		c := inProcess(t).do(t, "run", file, "--seed", seed, "--quiet", "--out", out)
		require.Equal(t, exitBroken, c.code, c.stdout+c.stderr)
		assert.Contains(t, c.stdout, "onedebit run "+file+" --seed "+seed)
		s := result(t, out).Scenarios[0]
		h, err := history.Load(filepath.Join(out, s.History))
		require.NoError(t, err)
		var payments []history.Payment
		for _, p := range h.Payments() {
			payments = append(payments, *p.V)
		}
		orders := s.Orders
		for i := range orders { // what happened when is the service's own affair
			orders[i].Ledger, orders[i].Rows, orders[i].Timeline, orders[i].Cut, orders[i].Log, orders[i].LogCut = nil, nil, nil, 0, nil, 0
		}
		return payments, orders
	}
	payments, orders := plan("42")
	var labels []string
	for _, p := range payments {
		labels = append(labels, p.Label)
	}
	assert.Equal(t, "probe 1 A B C", strings.Join(labels, " "))
	assert.Len(t, orders, 3)

	again, ordersAgain := plan("42")
	assert.Equal(t, payments, again)
	assert.Equal(t, orders, ordersAgain)

	other, ordersOther := plan("43")
	assert.NotEqual(t, payments, other)
	assert.NotEqual(t, orders, ordersOther)
}
