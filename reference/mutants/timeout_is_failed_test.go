package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestTimeoutIsFailed(t *testing.T) {
	contrast(t, "timeout-is-failed", reference.Failed, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(dropFirst)
		r.PayNew("O")
		r.Until(func() bool { return r.Order("O").Status.Final() }, "the payment did not end")
		assert.Len(r.T, r.Bank.Debits("A-O"), 1)
		return r.Order("O").Status
	})
}
