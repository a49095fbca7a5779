package mutants

import (
	"context"
	"fmt"

	"onedebit/reference"
)

// SurplusDropped notices that an order was paid twice and writes it into the log.
var SurplusDropped = register(Mutant{
	Name:     "surplus-dropped",
	Doc:      "a second real debit of an order is neither recorded nor given back",
	Scenario: "two-attempts-paid",
	Check:    "debits-accounted",
	Says:     "nor was it given back",
	Sources:  []string{"YunaiV/ruoyi-vue-pro#1152", "woocommerce/woocommerce#9297", "pretix/pretix#343", "frappe/erpnext#35685"},
	Apply: func(p *reference.Parts) {
		p.Surplus = func(_ context.Context, s *reference.Service, _ *reference.Tx, p reference.Payment, w reference.Word) error {
			s.Log.Step(p.OrderID, p.TraceID, "surplus", "IGNORED", fmt.Sprintf("trade_no=%s amount=%d", w.TradeNo, w.Amount))
			return nil
		}
	},
})
