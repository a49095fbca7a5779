package mutants

import "onedebit/reference"

// KeyStolenLive takes the claim of a key over when it is old enough for its holder to have died. A holder that was only
// slow goes on, and no unique row stands in its way.
var KeyStolenLive = register(Mutant{
	Name:     "key-stolen-live",
	Doc:      "a claim is taken over on its age alone, and no unique row stops a holder that was only slow",
	Scenario: "claim-taken-over",
	Check:    "one-debit",
	Says:     "SUCCESS rows",
	Sources:  []string{"spring-projects/spring-integration#2661", "akira-io/laravel-sisp#302"},
	Apply:    func(p *reference.Parts) { p.Schema = func() []string { return paymentsUnique() } },
})
