package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
)

func planned(t *testing.T, name string, depth int) *Plan {
	t.Helper()
	p, err := NewPlan(&Record{Flow: flow(t, name), Points: []Point{paying, debit, debited, notified, publish}}, depth)
	require.NoError(t, err)
	return p
}

func names(p *Plan) (out []string) {
	for _, e := range p.Experiments {
		out = append(out, e.Scenario.Name)
	}
	return out
}

func TestPlan(t *testing.T) {
	for _, name := range FlowNames() {
		p := planned(t, name, 2)
		assert.Equal(t, names(p), names(planned(t, name, 2)), "the same record makes the same plan")
		seen := map[string]bool{}
		for _, e := range p.Experiments {
			assert.False(t, seen[e.Scenario.Name], "two experiments are called %s", e.Scenario.Name)
			seen[e.Scenario.Name] = true
			require.NoError(t, e.Scenario.Fits(reference(t)))
			again, err := scenarios.Load("again.yaml", []byte(e.Scenario.Source))
			require.NoError(t, err)
			assert.Equal(t, e.Scenario.Needed(), again.Needed())
		}
	}
	single := planned(t, "pay", 1)
	assert.Equal(t, names(single), names(planned(t, "pay", 2))[:len(single.Experiments)], "pairs come behind single faults")
	assert.Equal(t, "sweep-pay-bank-debit-request-1-lost", single.Experiments[0].Scenario.Name)
	assert.Len(t, single.Unfit, 2)
}

func TestExperimentIsWhatItsFileSays(t *testing.T) {
	p := planned(t, "pay", 2)
	text := map[string]string{}
	for _, e := range p.Experiments {
		text[e.Scenario.Name] = e.Scenario.Source
	}
	assert.Equal(t, `name: sweep-pay-bank-debit-answer-1-lost
title: "lost at bank→service answer 1: answer to debit; the client tries again under the same key"
family: sweep
bank: {mode: naive}
steps:
  - fault: {lost-answer: {link: bank, message: "debit", nth: 1, count: 1, how: reset}, as: first}
  - {pay: {of: A}, background: true}
  - heal: first
  - join
  - settle: {}
  - pay: {of: A, same-key: true}
`, text["sweep-pay-bank-debit-answer-1-lost"])
	assert.Contains(t, text["sweep-pay-bank-debit-answer-1-lost-fresh"], `  - {pay: {of: A, retries: {max: 0}}, background: true}
  - heal: first
  - pay: {of: A}
  - join
`)
	assert.Contains(t, text["sweep-pay-bank-debit-request-1-lost-bank-debit-answer-1-lost"], "as: second, optional: true}")
}
