package mutants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestErrorRowParked(t *testing.T) {
	contrastOnServers(t, "error-row-parked", reference.Processing, reference.Success, func(r *rig) reference.Status {
		r.Link.Nth(1, func(_, statement string) bool { return strings.Contains(statement, "UPDATE bank_trade") }, referencetest.DatabaseAct{Fail: "XX000"})
		r.PayNew("O")
		number := r.Rows("O")[0].TradeNo
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		parked := r.Rows("O")[0]
		r.Until(func() bool {
			now := r.Rows("O")[0]
			return now.Status == reference.Success || now.UpdatedAt > parked.UpdatedAt
		}, "the reconciler has not come by")
		return r.Order("O").Status
	}, referencetest.With(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(time.Second) }))
}
