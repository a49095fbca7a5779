package mutants_test

import (
	"testing"
)

func TestKeyGlobal(t *testing.T) {
	contrast(t, "key-global", true, false, func(r *rig) bool {
		q := pay("O", r.Token("O"))
		paid := r.Pay(q)
		q.Merchant = "M2"
		return r.Pay(q).PaymentID == paid.PaymentID
	})
}
