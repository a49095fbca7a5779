package mutants

import (
	"context"

	"onedebit/reference"
)

// CloseWithoutBank closes an order where it stands. The bank is not told, and not asked whether it has the money.
var CloseWithoutBank = register(Mutant{
	Name:     "close-without-bank",
	Doc:      "an order is closed without closing its number at the bank or asking what became of it",
	Scenario: "close-after-lost-answer",
	Check:    "ledger-agrees",
	Says:     "its row is CLOSED",
	Sources:  []string{"woocommerce/woocommerce-gateway-stripe#3037", "coreshop/CoreShop#2529", "Automattic/woocommerce-payments#3118"},
	Apply: func(p *reference.Parts) {
		closeOrder := p.Close
		p.Close = func(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
			if p.Status != reference.Processing && p.Status != reference.Unknown {
				return closeOrder(ctx, s, p)
			}
			done, err := s.Settle(ctx, reference.Word{Said: reference.SaidClosed, Source: reference.FromQuery, TradeNo: p.TradeNo, PaymentID: p.ID})
			return done.Payment, err
		}
	},
})
