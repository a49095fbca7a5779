package mutants_test

import (
	"testing"
)

func TestAmountFromDue(t *testing.T) {
	contrast(t, "amount-from-due", 1, 0, func(r *rig) int {
		payTwice(r)
		return r.Count("surplus", "order_id = 'O' AND amount = 0")
	})
}
