package mutants

import "onedebit/reference"

// ConflictIsFailed sends an unanswered debit again under its number and takes "duplicate" for "refused". It is the bank's
// way to say that it has the first one.
var ConflictIsFailed = register(Mutant{
	Name:     "conflict-is-failed",
	Doc:      "the bank's 409 for a debit that is sent again under its number is stored as FAILED",
	Scenario: "repeat-refused",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"getlago/lago-api#3063", "stripe/stripe-ruby#431", "spree/spree#4499"},
	Apply: func(p *reference.Parts) {
		resending(p, func(o reference.Order, _ *reference.StatusError) (reference.Reply, error) {
			return reference.Reply{TradeNo: o.TradeNo, Status: "FAILED", Reason: "DUPLICATE"}, nil
		})
	},
})
