package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundOriginalAmount allows every refund that is not larger than the payment, as if it were the only one.
var RefundOriginalAmount = register(Mutant{
	Name:     "refund-original-amount",
	Doc:      "each partial refund is compared with the amount that was paid, not with what is left of it",
	Scenario: "refund-in-parts",
	Check:    "refunds-bounded",
	Says:     "the bank gave back",
	Sources:  []string{"open-mercato/open-mercato#4487", "killbill/killbill#333", "killbill/killbill#334"},
	Apply: func(p *reference.Parts) {
		p.Reserve = func(_ context.Context, _ *reference.Tx, p reference.Payment, amount int64) (bool, error) {
			return amount <= p.Amount, nil
		}
	},
})
