package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestUnknownReruns(t *testing.T) {
	contrast(t, "unknown-reruns", 2, 1, func(r *rig) int {
		key := r.Token("O")
		r.Bank.Act(dropFirst)
		assert.Equal(r.T, reference.Unknown, r.Pay(pay("O", key)).Status)
		r.Pay(pay("O", key))
		return r.Bank.Calls(referencetest.Debit)
	}, referencetest.With(quiet))
}
