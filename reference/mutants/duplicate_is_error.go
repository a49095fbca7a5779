package mutants

import (
	"context"
	"fmt"

	"onedebit/reference"
)

// DuplicateIsError lets the unique index refuse a notification that comes again, and the refusal become a 500. A bank
// whose first 200 was lost concludes that the order is not wanted.
var DuplicateIsError = register(Mutant{
	Name:     "duplicate-is-error",
	Doc:      "a notification that was handled before is answered with an error",
	Scenario: "callback-answer-lost",
	Check:    "ledger-agrees",
	Says:     "the bank gave its money back",
	Sources:  []string{"academe/SagePay#38", "Payum/PayumBundle#402"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			result, err := settle(ctx, s, n)
			if err == nil && result == reference.ResultDuplicate {
				err = fmt.Errorf("storing notification %s: %w", n.ID, reference.ErrDuplicate)
			}
			return result, err
		}
	},
})
