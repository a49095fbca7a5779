package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestSameKeyOtherBody(t *testing.T) {
	contrast(t, "same-key-other-body", 200, 422, func(r *rig) int {
		key := r.Token("O")
		r.Pay(pay("O", key))
		return r.Pay(referencetest.Request{Order: "O", Key: key, Amount: 900}).HTTP
	})
}
