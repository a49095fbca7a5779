package mutants_test

import "testing"

func TestKeyOptional(t *testing.T) {
	contrast(t, "key-optional", 2, 0, func(r *rig) int {
		r.Pay(pay("O", ""))
		r.Pay(pay("O", ""))
		return len(r.Bank.Debits("A-O"))
	})
}
