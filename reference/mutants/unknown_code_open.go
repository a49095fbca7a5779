package mutants

import "onedebit/reference"

// UnknownCodeOpen has a table of the bank's codes, and for what is not in it the benefit of the doubt: a number that the
// bank has had before must have been paid.
var UnknownCodeOpen = register(Mutant{
	Name:     "unknown-code-open",
	Doc:      "an error code that is not in the table, such as the refusal of a repeated number, is taken for paid",
	Scenario: "decline-answer-lost",
	Check:    "ledger-agrees",
	Says:     "the bank never took any money",
	Sources:  []string{"https://threadreaderapp.com/thread/1502947315279187979.html", "BitBagCommerce/SyliusAdyenPlugin_old#17"},
	Apply: func(p *reference.Parts) {
		resending(p, func(o reference.Order, _ *reference.StatusError) (reference.Reply, error) {
			return reference.Reply{TradeNo: o.TradeNo, Status: "SUCCESS", Amount: o.Amount, Currency: o.Currency}, nil
		})
	},
})
