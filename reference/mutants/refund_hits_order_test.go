package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestRefundHitsOrder(t *testing.T) {
	contrast(t, "refund-hits-order", reference.Refunded, reference.Success, func(r *rig) reference.Status {
		payTwice(r)
		r.Until(func() bool { return r.Count("surplus", "status = ?", reference.SurplusReturned) == 1 }, "the surplus was not given back")
		return r.Order("O").Status
	})
}
