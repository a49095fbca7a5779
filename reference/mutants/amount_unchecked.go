package mutants

import "onedebit/reference"

// AmountUnchecked believes an authentic notification about its trade number. Nobody
// notices that the bank speaks of another sum.
var AmountUnchecked = register(Mutant{
	Name:     "amount-unchecked",
	Doc:      "amount and currency of a notification are not compared with what was asked for",
	Scenario: "callback-other-amount",
	Check:    "only-authentic-callbacks",
	Says:     "another amount than was debited",
	Sources:  []string{"Azuriom/Plugin-Shop#284", "Carrington-dev/dj-payfast#30"},
	Apply: func(p *reference.Parts) {
		matches := p.Matches
		p.Matches = func(w reference.Word, p reference.Payment) bool {
			return w.Source == reference.FromCallback || matches(w, p)
		}
	},
})
