package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestDedupSelectInsert(t *testing.T) {
	contrast(t, "dedup-select-insert", 2, 1, func(r *rig) int {
		number := accepted(r)
		r.Bank.Set(number, "SUCCESS")
		both := make(chan struct{})
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			if op == referencetest.Query && n == 2 {
				close(both)
			}
			return referencetest.Act{Hold: both}
		})
		n := reference.Notification{ID: "N1", TradeNo: number, Status: "SUCCESS", Amount: 500, Currency: "CNY"}
		codes := make(chan int, 2)
		for range 2 {
			go func() { codes <- r.Notify(n) }()
		}
		assert.Equal(r.T, []int{200, 200}, []int{referencetest.Next(r.T, codes), referencetest.Next(r.T, codes)})
		return r.Count("outbox_event", "1 = 1")
	}, referencetest.With(quiet))
}
