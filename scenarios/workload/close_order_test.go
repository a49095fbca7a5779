package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestCloseOrder(t *testing.T) {
	r := newRig(t, "")
	assert.ErrorContains(t, r.try("- close-order: {}"), "a payment begins with its first pay step")
	r.run("[{pay: {}}, {close-order: {}}]")
	asked := r.attempts("A", history.OpClose)
	assert.Equal(t, []history.Outcome{history.Pending}, outcomes(asked))
	assert.Equal(t, 200, asked[0].HTTP)
	refuses(t, [2]string{"- close-order: {off: A}", `unknown key "off"; did you mean "of"?`})
}
