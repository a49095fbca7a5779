package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestKeyShortLife(t *testing.T) {
	contrast(t, "key-short-life", 2, 1, func(r *rig) int {
		key := r.Token("O")
		r.Pay(pay("O", key))
		assert.Equal(r.T, 200, r.Pay(pay("O", key)).HTTP)
		r.Cache.FlushAll()
		r.Pay(pay("O", key))
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
