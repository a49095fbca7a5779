package mutants_test

import (
	"testing"
)

func TestSurplusDropped(t *testing.T) {
	contrast(t, "surplus-dropped", 0, 1, func(r *rig) int {
		payTwice(r)
		return r.Count("surplus", "order_id = 'O'")
	})
}
