package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestJoin(t *testing.T) {
	refuses(t,
		[2]string{"- join: {within: 3s}", `s.yaml:1:10: unknown key "within"; none is valid here`},
		[2]string{"- join: all", `s.yaml:1:9: expected nothing here, found "all"`})

	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank, message: debit}, as: held}\n- {pay: {gives-up: 10m}, background: true}\n- await: {fault: held, holding: 1}\n- pay: {of: B}")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.attempts("B", history.OpPay)), "the next step does not wait")
	assert.Empty(t, r.pays())
	r.run("- heal: held\n- join")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()))
	r.run("- join") // there is nothing to wait for
}

func TestJoinTellsWhatWentWrong(t *testing.T) {
	r := newRig(t, "")
	err := r.try("- {heal: x, background: true}\n- {heal: y, background: true}\n- join\n- observe")
	require.ErrorContains(t, err, `step join (line 3): `)
	require.ErrorContains(t, err, `step heal (line 1): unknown fault "x"`)
	require.ErrorContains(t, err, `step heal (line 2): unknown fault "y"`)
	assert.Zero(t, r.looks, "what went wrong ends the steps")
	require.NoError(t, r.Join(), "it is told once")
}
