package mutants

import "onedebit/reference"

// UniqueIs500 makes the trade number from the payment, so that no payment can have two. A payment whose first number is
// dead runs into the unique index when it is sent again: an error like any other, logged, and met anew in each round.
var UniqueIs500 = register(Mutant{
	Name:     "unique-is-500",
	Doc:      "a payment that is sent again violates the unique index of its trade number, which is an error like any other, and the payment stays as it is",
	Scenario: "bank-reset-before",
	Check:    "settles",
	Says:     "PENDING",
	Sources:  []string{"JiRaska/open-bank-oss#3264"},
	Apply: func(p *reference.Parts) {
		p.TradeNo = func(p reference.Payment) string { return "B" + p.ID }
	},
})
