package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestAmountUnchecked(t *testing.T) {
	contrast(t, "amount-unchecked", reference.Success, reference.Processing, func(r *rig) reference.Status {
		number := accepted(r)
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "SUCCESS", Amount: 1, Currency: "CNY"}))
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
