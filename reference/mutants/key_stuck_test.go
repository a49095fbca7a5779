package mutants_test

import (
	"testing"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestKeyStuck(t *testing.T) {
	contrast(t, "key-stuck", 409, 200, func(r *rig) int {
		key, dead := r.Token("O"), make(chan struct{})
		stuck := holdFirst(r, "SET", dead)
		answers := make(chan reference.Answer, 1)
		go func() { answers <- r.Pay(pay("O", key)) }()
		referencetest.Next(r.T, stuck)
		code := r.Pay(pay("O", key)).HTTP
		close(dead)
		referencetest.Next(r.T, answers)
		return code
	})
}
