package mutants

import (
	"context"

	"onedebit/reference"
)

// FloatAmount keeps amounts as decimal fractions in binary floating point. 19.99 times 100 is a little less than 1999,
// and the rest is cut off.
var FloatAmount = register(Mutant{
	Name:     "float-amount",
	Doc:      "amounts are binary floating-point numbers of the major unit, cut off when they become minor units again",
	Scenario: "odd-cents",
	Check:    "integer-money",
	Says:     "a client asked to pay",
	Sources:  []string{"medusajs/medusa#13972", "krokedil/klarna-payments-for-woocommerce#18"},
	Apply: func(p *reference.Parts) {
		admit := p.Admit
		p.Admit = func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
			major := float64(r.Amount) / 100
			r.Amount = int64(major * 100)
			return admit(ctx, s, r)
		}
	},
})
