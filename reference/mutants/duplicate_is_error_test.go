package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestDuplicateIsError(t *testing.T) {
	contrast(t, "duplicate-is-error", 500, 200, func(r *rig) int {
		r.PayNew("O")
		n := reference.Notification{ID: "N1", TradeNo: r.Rows("O")[0].TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}
		assert.Equal(r.T, 200, r.Notify(n))
		return r.Notify(n)
	})
}
