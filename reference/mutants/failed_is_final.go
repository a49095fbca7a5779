package mutants

import (
	"context"

	"onedebit/reference"
)

// FailedIsFinal has two final states. A bank that first says FAILED and then takes the money is not listened to.
var FailedIsFinal = register(Mutant{
	Name:     "failed-is-final",
	Doc:      "a notification for a payment that is FAILED is acknowledged and dropped, also where it says SUCCESS",
	Scenario: "fail-then-success",
	Check:    "ledger-agrees",
	Says:     "its row is FAILED",
	Sources:  []string{"open-formulieren/open-forms#5942", "VivaPayments/API#2497", "woocommerce/woocommerce-gateway-stripe#3037"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			if paid, known := paidBy(ctx, s, n.TradeNo); known && paid.Status.Final() {
				return "final", nil
			}
			return settle(ctx, s, n)
		}
	},
})
