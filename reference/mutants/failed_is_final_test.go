package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestFailedIsFinal(t *testing.T) {
	contrast(t, "failed-is-final", reference.Failed, reference.Success, func(r *rig) reference.Status {
		number := accepted(r)
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "FAILED", Amount: 500, Currency: "CNY"}))
		assert.Equal(r.T, reference.Failed, r.Order("O").Status)
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N2", TradeNo: number, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
