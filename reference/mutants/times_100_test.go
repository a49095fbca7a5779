package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestTimes100(t *testing.T) {
	contrast(t, "times-100", int64(50_000), 500, func(r *rig) int64 {
		a := r.Pay(referencetest.Request{Order: "O", Key: r.Token("O"), Amount: 500, Currency: "JPY"})
		assert.Equal(r.T, reference.Success, a.Status)
		return r.Bank.Trades("A-O")[0].Order.Amount
	})
}
