package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefundOriginalAmount(t *testing.T) {
	contrast(t, "refund-original-amount", 200, 409, func(r *rig) int {
		r.PayNew("O")
		assert.Equal(r.T, 200, r.Refund("O", "r1", 300).HTTP)
		return r.Refund("O", "r2", 300).HTTP
	})
}
