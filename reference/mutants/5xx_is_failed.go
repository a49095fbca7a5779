package mutants

import (
	"errors"

	"onedebit/reference"
)

// FiveXXIsFailed takes every answer that is not 200 for a refusal, also the error page of a gateway behind which the bank
// has debited.
var FiveXXIsFailed = register(Mutant{
	Name:     "5xx-is-failed",
	Doc:      "an answer of the bank with an HTTP error, such as the 502 of a gateway, is stored as FAILED",
	Scenario: "bank-error-after-debit",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"juspay/hyperswitch#2380", "useautumn/autumn#1851", "own-pay/OwnPay#222"},
	Apply: func(p *reference.Parts) {
		read := p.Outcome
		p.Outcome = func(r reference.Reply, err error) reference.Said {
			var status *reference.StatusError
			if errors.As(err, &status) {
				return reference.SaidFailed
			}
			return read(r, err)
		}
	},
})
