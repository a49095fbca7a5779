package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestReconcileListStale(t *testing.T) {
	contrast(t, "reconcile-list-stale", 1, 0, func(r *rig) int {
		asked, release := make(chan struct{}), make(chan struct{})
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			if op == referencetest.Query && n == 1 {
				close(asked)
				return referencetest.Act{Hold: release, NotFound: true}
			}
			return referencetest.Act{Refuse: op == referencetest.Debit && n <= 2}
		})
		paid := r.PayNew("O")
		referencetest.Next(r.T, asked)
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: paid.TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		r.PayNew("P")
		close(release)
		r.Becomes("P", reference.Success) // by a round after that of O
		return r.Bank.Calls(referencetest.Debit) - 3
	})
}
