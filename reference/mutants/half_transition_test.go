package mutants_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestHalfTransition(t *testing.T) {
	contrastOnServers(t, "half-transition", 0, 1, func(r *rig) int {
		r.Link.Nth(1, func(_, statement string) bool { return strings.Contains(statement, "INSERT INTO outbox_event") }, referencetest.DatabaseAct{Fail: "XX000"})
		number := r.PayNew("O").TradeNo
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		assert.Equal(r.T, reference.Success, r.Order("O").Status)
		return r.Count("outbox_event", "order_id = 'O'")
	}, referencetest.With(quiet))
}

func TestHalfTransitionTellsOtherwise(t *testing.T) {
	contrast(t, "half-transition", 1, 1, func(r *rig) int {
		number := r.PayNew("O").TradeNo
		assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: "N1", TradeNo: number, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
		return r.Count("outbox_event", "order_id = 'O'")
	})
}
