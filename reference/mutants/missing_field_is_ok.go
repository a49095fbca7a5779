package mutants

import (
	"context"

	"onedebit/reference"
)

// MissingFieldIsOK tells success from failure by whether there is a reason. The bank gives none with every failure.
var MissingFieldIsOK = register(Mutant{
	Name:     "missing-field-is-ok",
	Doc:      "a final notification without a reason is taken for SUCCESS, whatever its status says",
	Scenario: "accepted-then-declined",
	Check:    "ledger-agrees",
	Says:     "the bank never took any money",
	Sources:  []string{"BitBagCommerce/SyliusAdyenPlugin_old#17"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			if n.Status == string(reference.SaidFailed) && n.Reason == "" && n.RefundNo == "" {
				n.Status = string(reference.SaidSuccess)
			}
			return settle(ctx, s, n)
		}
	},
})
