package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestDedupByMessageID(t *testing.T) {
	notify := func(ids ...string) func(*rig) int {
		return func(r *rig) int {
			paid := r.PayNew("O")
			for _, id := range ids {
				assert.Equal(r.T, 200, r.Notify(reference.Notification{ID: id, TradeNo: paid.TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}))
			}
			return r.Count("outbox_event", "order_id = ?", "O")
		}
	}
	t.Run("twins", func(t *testing.T) { contrast(t, "dedup-by-message-id", 2, 1, notify("N1", "N2")) })
	t.Run("one, repeated", func(t *testing.T) { contrast(t, "dedup-by-message-id", 1, 1, notify("N1", "N1")) })
}
