package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestLayerOwnKey(t *testing.T) {
	contrast(t, "layer-own-key", 2, 1, func(r *rig) int {
		r.Bank.Act(dropFirst)
		r.PayNew("O")
		r.Becomes("O", reference.Success)
		return len(r.Bank.Debits("A-O"))
	})
}
