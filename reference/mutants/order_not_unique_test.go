package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOrderNotUnique(t *testing.T) {
	contrast(t, "order-not-unique", 2, 1, func(r *rig) int {
		r.PayNew("O")
		r.PayNew("O")
		assert.Len(r.T, r.Bank.Debits("A-O"), 1, "the bank hides it")
		return r.Count("pay_transaction", "order_id = ? AND status = 'SUCCESS'", "O")
	})
}
