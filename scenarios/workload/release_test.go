package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestRelease(t *testing.T) {
	refuses(t,
		[2]string{"- release:", "s.yaml:1:11: say which fault: the name that it has by as:, or else its kind"},
		[2]string{"- release: [a]", "s.yaml:1:12: expected text, found a list"})

	r := newRig(t, "")
	r.run("- fault: {hold: {link: bank, message: debit, count: all}}\n- {pay: {gives-up: 10m}, background: true}\n- await: {fault: hold, holding: 1}\n- release: hold\n- join")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()))
	r.run("- {pay: {of: B, gives-up: 10m}, background: true}\n- await: {fault: hold, fired: 2, holding: 1}") // it is in force still
	assert.Empty(t, r.attempts("B", history.OpPay))
	r.run("- heal: hold\n- join")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.attempts("B", history.OpPay)))
	require.ErrorContains(t, r.try("- release: hlod"), `step release (line 1): unknown fault "hlod"; did you mean "hold"?`)
}
