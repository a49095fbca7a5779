package mutants

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"onedebit/reference"
)

// KeyOptional makes a key up for a client that gives none, so that old clients go on working. Every request without a key
// is a new one then, and nothing else is unique about it.
var KeyOptional = register(Mutant{
	Name:     "key-optional",
	Doc:      "a request without a key gets one of its own and is carried out, and no unique row of the order stops it",
	Scenario: "without-a-key",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"getlago/lago-api#5870", "JiRaska/open-bank-oss#7172", "square/square-mcp-server#31"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique("UNIQUE(merchant, idem_key)") }
		keyed, admit := p.Keyed, p.Admit
		p.Keyed = func(r reference.PayRequest) (string, *reference.Answer) {
			if r.Key == "" {
				return madeUp + uuid.NewString(), nil
			}
			return keyed(r)
		}
		p.Admit = func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
			if strings.HasPrefix(r.Key, madeUp) {
				return insert(ctx, s, s.NewPayment(r, 1))
			}
			return admit(ctx, s, r)
		}
	},
})

// madeUp begins a key that no client has given.
const madeUp = "none:"
