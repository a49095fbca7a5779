package mutants_test

import (
	"testing"

	"onedebit/reference"
)

func TestBlankKey(t *testing.T) {
	contrast(t, "blank-key", reference.CodeSuccess, reference.CodeNoKey, func(r *rig) string {
		r.Pay(pay("O", ""))
		return r.Pay(pay("P", "")).Code // it has not been paid
	})
}
