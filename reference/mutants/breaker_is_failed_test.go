package mutants_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestBreakerIsFailed(t *testing.T) {
	contrast(t, "breaker-is-failed", reference.Failed, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			return referencetest.Act{Drop: op == referencetest.Debit && n == 1, Refuse: n <= 2 && op == referencetest.Query}
		})
		r.PayNew("O")
		r.Until(func() bool { return r.Order("O").Status.Final() }, "the payment did not end")
		assert.Len(r.T, r.Bank.Debits("A-O"), 1)
		return r.Order("O").Status
	}, referencetest.With(func(c *reference.Config) {
		c.Breaker = reference.Breaker{Failures: 2, Open: reference.Duration(500 * time.Millisecond)}
	}))
}
