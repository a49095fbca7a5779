package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestTogether(t *testing.T) {
	refuses(t,
		[2]string{"- together: []", "s.yaml:1:13: together needs steps"},
		[2]string{"- together:", "together needs steps"},
		[2]string{"- together: {pay: {}, quary: {}}", `unknown step "quary"; did you mean "query"?`})

	r := newRig(t, "")
	r.run("- fault: {gather: {link: bank, message: debit, copies: 2}}\n- together: [{pay: {}}, {pay: {of: B}}]\n- heal: gather")
	assert.Equal(t, 2, r.faults()[1].Fired, "one after the other would never meet")
	for _, label := range []string{"A", "B"} {
		assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.attempts(label, history.OpPay)))
	}
}

func TestTogetherTellsAllThatWentWrong(t *testing.T) {
	r := newRig(t, "")
	err := r.try("- together:\n  - heal: x\n  - observe\n  - heal: y")
	require.ErrorContains(t, err, `step together (line 1): `)
	require.ErrorContains(t, err, `step heal (line 2): unknown fault "x"`)
	require.ErrorContains(t, err, `step heal (line 4): unknown fault "y"`)
	assert.Equal(t, 1, r.looks, "one that fails does not keep the others")
}
