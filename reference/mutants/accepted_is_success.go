package mutants

import "onedebit/reference"

// AcceptedIsSuccess takes an order that the bank has taken on for one that it has carried out.
var AcceptedIsSuccess = register(Mutant{
	Name:     "accepted-is-success",
	Doc:      "the bank's PROCESSING is read as SUCCESS",
	Scenario: "accepted-then-declined",
	Check:    "ledger-agrees",
	Says:     "the bank never took any money",
	Sources:  []string{"juspay/hyperswitch#1522"},
	Apply: func(p *reference.Parts) {
		read := p.Outcome
		p.Outcome = func(r reference.Reply, err error) reference.Said {
			if said := read(r, err); said != reference.SaidProcessing {
				return said
			}
			return reference.SaidSuccess
		}
	},
})
