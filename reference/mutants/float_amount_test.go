package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestFloatAmount(t *testing.T) {
	contrast(t, "float-amount", int64(1998), 1999, func(r *rig) int64 {
		a := r.Pay(referencetest.Request{Order: "O", Key: r.Token("O"), Amount: 1999})
		assert.Equal(r.T, a.Amount, r.Bank.Trades("A-O")[0].Order.Amount)
		return a.Amount
	})
}
