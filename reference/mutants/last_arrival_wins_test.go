package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestLastArrivalWins(t *testing.T) {
	contrast(t, "last-arrival-wins", reference.Processing, reference.Success, func(r *rig) reference.Status {
		r.PayNew("O")
		number := r.Rows("O")[0].TradeNo
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "PROCESSING", Amount: 500, Currency: "CNY"}))
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
