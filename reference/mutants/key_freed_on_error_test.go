package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestKeyFreedOnError(t *testing.T) {
	contrast(t, "key-freed-on-error", 2, 1, func(r *rig) int {
		r.Bank.Act(dropFirst)
		key := r.Token("O")
		r.Pay(pay("O", key))
		r.Pay(pay("O", key))
		r.Becomes("O", reference.Success)
		return len(r.Bank.Debits("A-O"))
	})
}
