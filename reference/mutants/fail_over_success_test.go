package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestFailOverSuccess(t *testing.T) {
	contrast(t, "fail-over-success", reference.Failed, reference.Success, func(r *rig) reference.Status {
		paid := r.PayNew("O")
		late := reference.Notification{ID: "N1", TradeNo: paid.TradeNo, Status: "FAILED", Amount: 500, Currency: "CNY"}
		assert.Equal(r.T, 200, r.Notify(late))
		assert.Equal(r.T, 200, r.Notify(late), "the same once more")
		return r.Order("O").Status
	})
}
