package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestAcceptedIsSuccess(t *testing.T) {
	contrast(t, "accepted-is-success", reference.Success, reference.Failed, func(r *rig) reference.Status {
		r.Bank.Act(func(string, int, string) referencetest.Act { return referencetest.Act{Accept: true} })
		accepted := r.PayNew("O")
		r.Bank.Set(accepted.TradeNo, "FAILED")
		r.Notify(reference.Notification{ID: "N1", TradeNo: accepted.TradeNo, Status: "FAILED", Amount: 500, Currency: "CNY"})
		assert.Empty(r.T, r.Bank.Debits("A-O"))
		return r.Order("O").Status
	})
}
