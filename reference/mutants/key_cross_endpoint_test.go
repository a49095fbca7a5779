package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestKeyCrossEndpoint(t *testing.T) {
	contrast(t, "key-cross-endpoint", 0, 1, func(r *rig) int {
		key := r.Token("O")
		r.Pay(pay("O", key))
		assert.Equal(r.T, 200, r.Refund("O", key, 200).HTTP)
		return r.Bank.Calls(referencetest.Refund)
	})
}
