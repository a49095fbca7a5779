package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestTradeNoByClock(t *testing.T) {
	contrast(t, "trade-no-by-clock", true, false, func(r *rig) bool {
		now := r.Service.Millis()
		one, other := reference.Payment{OrderID: "O", CreatedAt: now}, reference.Payment{OrderID: "P", CreatedAt: now}
		return r.Service.Parts.TradeNo(one) == r.Service.Parts.TradeNo(other)
	})
}
