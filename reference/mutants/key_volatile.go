package mutants

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"onedebit/reference"
)

// KeyVolatile makes the key itself, as a hash over the whole request and the moment in which it came. No two requests
// are the same.
var KeyVolatile = register(Mutant{
	Name:     "key-volatile",
	Doc:      "the unique key is a hash over the request with its time and trace, so no repeat is known again",
	Scenario: "same-in-other-words",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"Adyen/adyen-commercetools#1305", "lilishop/lilishop#145"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique("UNIQUE(merchant, idem_key)") }
		p.Admit = admitByHash
	},
})

func admitByHash(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
	if answer, err := s.Issued(ctx, r); err != nil || answer != nil {
		return reference.Admission{Answer: answer}, err
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%+v %d", r, s.Now().UnixNano()))
	r.Key = hex.EncodeToString(hash[:])
	if a, err := repeatOfKey(ctx, s, r); err != nil || a.Answer != nil {
		return a, err
	}
	return insert(ctx, s, s.NewPayment(r, 1))
}
