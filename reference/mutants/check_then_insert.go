package mutants

import "onedebit/reference"

// CheckThenInsert looks for a payment of the order, claims the token and inserts the row. Two clicks with a fresh key
// each both look before either inserts, and both tokens are good.
var CheckThenInsert = register(Mutant{
	Name:     "check-then-insert",
	Doc:      "the order is looked up before the row is inserted, and no unique index on the order backs the look-up",
	Scenario: "fresh-key-per-click",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"incident", "magento/magento2#13952", "medusajs/medusa#14770", "opencollective/opencollective#5644"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return paymentsUnique("UNIQUE(merchant, idem_key)") }
	},
})
