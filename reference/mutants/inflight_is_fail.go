package mutants

import (
	"net/http"

	"onedebit/reference"
)

// InflightIsFail refuses a repeat of a running request as if the payment had been declined. The client offers to pay
// otherwise while the first request succeeds.
var InflightIsFail = register(Mutant{
	Name:     "inflight-is-fail",
	Doc:      "a repeat of a request that is still running is answered FAILED",
	Scenario: "second-while-held",
	Check:    "same-answer",
	Says:     "two contradictory final answers",
	Sources:  []string{"stripe/stripe-ruby#431", "blinkbitcoin/blink-mobile#3967", "getlago/lago-api#3063"},
	Apply: func(p *reference.Parts) {
		repeat := p.Repeat
		p.Repeat = func(p reference.Payment, sameKey bool) reference.Answer {
			a := repeat(p, sameKey)
			if !p.Status.Final() {
				a.HTTP, a.Code, a.Status, a.Message = http.StatusPaymentRequired, reference.CodeDeclined, reference.Failed, "repeated request"
			}
			return a
		}
	},
})
