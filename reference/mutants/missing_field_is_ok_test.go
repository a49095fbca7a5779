package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestMissingFieldIsOK(t *testing.T) {
	contrast(t, "missing-field-is-ok", reference.Success, reference.Failed, func(r *rig) reference.Status {
		number := accepted(r)
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "FAILED", Amount: 500, Currency: "CNY"}))
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
