package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestOldAttemptWins(t *testing.T) {
	contrast(t, "old-attempt-wins", reference.Failed, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			if op == referencetest.Debit && n == 1 {
				return referencetest.Act{Decline: "NO_MONEY"}
			}
			return referencetest.Act{}
		})
		assert.Equal(r.T, reference.Failed, r.PayNew("O").Status)
		assert.Equal(r.T, reference.Success, r.PayNew("O").Status)
		first := r.Rows("O")[0].TradeNo
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: first, Status: "FAILED", Amount: 500, Currency: "CNY"}))
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
