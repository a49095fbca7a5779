package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestCloseWithoutBank(t *testing.T) {
	contrast(t, "close-without-bank", reference.Closed, reference.Success, func(r *rig) reference.Status {
		r.Bank.Act(dropFirst)
		assert.Equal(r.T, reference.Unknown, r.PayNew("O").Status)
		r.CloseOrder("O")
		return r.Order("O").Status
	}, referencetest.With(quiet))
}
