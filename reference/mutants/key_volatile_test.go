package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestKeyVolatile(t *testing.T) {
	contrast(t, "key-volatile", 2, 1, func(r *rig) int {
		key, release := r.Token("O"), make(chan struct{})
		first := begin(r, pay("O", key), release)
		r.Pay(pay("O", key))
		close(release)
		referencetest.Next(r.T, first)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
