package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestLockForeignUnlock(t *testing.T) {
	contrast(t, "lock-foreign-unlock", 2, 1, func(r *rig) int {
		release := make(chan struct{})
		first := begin(r, pay("O", r.Token("O")), release)
		assert.NotEqual(r.T, 200, r.PayNew("O").HTTP, "the second is told that the first is under way")
		r.PayNew("O")
		close(release)
		referencetest.Next(r.T, first)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
