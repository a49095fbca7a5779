package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestFinishedRunsAgain(t *testing.T) {
	contrast(t, "finished-runs-again", 2, 1, func(r *rig) int {
		key := r.Token("O")
		r.Pay(pay("O", key))
		assert.Equal(r.T, 200, r.Pay(pay("O", key)).HTTP)
		return r.Bank.Calls(referencetest.Debit)
	})
}
