package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestTokenCheckDelRace(t *testing.T) {
	const copies = 5
	contrast(t, "token-check-del-race", copies, 1, func(r *rig) int {
		requests := make([]referencetest.Request, copies)
		key := r.Token("O")
		for i := range requests {
			requests[i] = pay("O", key)
		}
		meet(r, "DEL", copies)
		r.Together(requests...)
		assert.Equal(r.T, 200, r.Pay(requests[0]).HTTP, "a repeat after the end")
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
