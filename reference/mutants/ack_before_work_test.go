package mutants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/reference/referencetest"
)

func TestAckBeforeWork(t *testing.T) {
	for broker, queue := range map[string]referencetest.Option{"kafka": referencetest.Queue(), "rabbitmq": referencetest.RabbitMQ()} {
		t.Run(broker, func(t *testing.T) {
			contrast(t, "ack-before-work", 0, 1, func(r *rig) int {
				failOnce(r)
				return r.Count("coupon", "order_id = 'O'")
			}, queue)
		})
	}
}

// failOnce pays O while coupons cannot be stored, makes good the table, and gives the consumers twenty
// more orders' time to have O's effect after all: a broker may deliver others before it.
func failOnce(r *rig) {
	alter := func(statement string) {
		_, err := r.Service.Store.Exec(r.T.Context(), statement)
		require.NoError(r.T, err)
	}
	alter(`ALTER TABLE coupon RENAME TO coupon_gone`)
	r.PayNew("O")
	r.Until(func() bool { return strings.Contains(r.Log.String(), "[consume.coupon] [ERROR]") }, "no consumer tried")
	alter(`ALTER TABLE coupon_gone RENAME TO coupon`)
	for i := range 20 {
		order := fmt.Sprintf("P%d", i)
		r.PayNew(order)
		r.Until(func() bool {
			return r.Count("coupon", "order_id = ?", order) > 0 && r.Count("membership", "order_id = ?", order) > 0
		}, "no effects")
		if r.Count("coupon", "order_id = 'O'") > 0 {
			return
		}
	}
}
