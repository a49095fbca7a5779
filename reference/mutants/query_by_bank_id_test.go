package mutants_test

import (
	"strings"
	"testing"

	"onedebit/reference"
)

func TestQueryByBankID(t *testing.T) {
	contrast(t, "query-by-bank-id", reference.Unknown, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(dropFirst)
		r.PayNew("O")
		r.Until(func() bool {
			return r.Order("O").Status.Final() || strings.Count(r.Log.String(), "no bank id") > 1
		}, "the reconciler has not come by")
		return r.Order("O").Status
	})
}
