package mutants

import "onedebit/reference"

// SameKeyOtherBody keeps the order id as the value of the token. A key that comes back with another amount is taken for
// a repeat.
var SameKeyOtherBody = register(Mutant{
	Name:     "same-key-other-body",
	Doc:      "the fingerprint of a request is its order id, so another amount or account under the same key goes unnoticed",
	Scenario: "same-key-other-amount",
	Check:    "key-conflict-refused",
	Says:     "instead of refused",
	Sources:  []string{"incident", "dj-stripe/dj-stripe#1157", "https://technewstoday.info/why-an-idempotency-key-isnt-an-idempotency-guarantee/"},
	Apply: func(p *reference.Parts) {
		p.Fingerprint = func(r reference.PayRequest) string { return r.OrderID }
	},
})
