package mutants_test

import (
	"testing"
	"time"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestReconcileBlindSpot(t *testing.T) {
	contrast(t, "reconcile-blind-spot", reference.Processing, reference.Success, func(r *rig) reference.Status {
		number := accepted(r)
		left := r.Rows("O")[0]
		r.Bank.Set(number, "SUCCESS")
		r.Until(func() bool {
			now := r.Rows("O")[0]
			return now.Status == reference.Success || now.UpdatedAt > left.UpdatedAt+200
		}, "the reconciler has not come by")
		return r.Order("O").Status
	}, referencetest.With(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(50 * time.Millisecond) }))
}
