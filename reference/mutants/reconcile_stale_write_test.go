package mutants_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestReconcileStaleWrite(t *testing.T) {
	contrast(t, "reconcile-stale-write", true, false, func(r *rig) (undone bool) {
		asked, release, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			switch {
			case op == referencetest.Debit:
				return referencetest.Act{Accept: true}
			case n == 1:
				close(asked)
				return referencetest.Act{Hold: release}
			case n == 2: // the row was taken up again although it had been paid
				close(answered)
			}
			return referencetest.Act{}
		})
		accepted := r.PayNew("O")
		<-asked
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: accepted.TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		assert.Equal(r.T, reference.Success, r.Order("O").Status)
		close(release)
		// The next order is asked about only after the round of the first has ended.
		r.PayNew("P")
		<-answered
		return r.Order("O").Status != reference.Success
	}, referencetest.With(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(500 * time.Millisecond) }))
}
