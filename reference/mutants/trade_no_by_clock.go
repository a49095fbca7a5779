package mutants

import (
	"strconv"

	"onedebit/reference"
)

// TradeNoByClock makes trade numbers of the time, to the second. Two customers who pay in the same second have one number.
var TradeNoByClock = register(Mutant{
	Name:     "trade-no-by-clock",
	Doc:      "the trade number is the time in seconds, and no unique index minds two payments with one number",
	Scenario: "many-orders-at-once",
	Check:    "trade-no-unique",
	Says:     "stands for",
	Sources:  []string{"incident"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string { return replaceTable("bank_trade", reference.TradeTable()) }
		p.TradeNo = func(p reference.Payment) string { return "T" + strconv.FormatInt(p.CreatedAt/1000, 10) }
	},
})
