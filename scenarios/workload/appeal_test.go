package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestAppeal(t *testing.T) {
	r := newRig(t, "")
	assert.ErrorContains(t, r.try("- appeal: {}"), "a payment begins with its first pay step")
	r.run("[{pay: {}}, {appeal: {}}]")
	asked := r.attempts("A", history.OpAppeal)
	assert.Equal(t, []history.Outcome{history.Pending}, outcomes(asked))
	assert.Equal(t, 200, asked[0].HTTP)
	assert.Empty(t, asked[0].Untold, "the books hold nothing")
	r.reading = func() history.Reading {
		return history.Reading{Trades: []history.Trade{{TradeNo: "B-" + r.order("A"), Order: r.order("A")}, {TradeNo: "T-9", Order: "O-9"}}}
	}
	r.run("- appeal: {}")
	assert.Equal(t, []string{"B-" + r.order("A")}, r.attempts("A", history.OpAppeal)[1].Untold)
	refuses(t, [2]string{"- appeal: {off: A}", `unknown key "off"; did you mean "of"?`})
}
