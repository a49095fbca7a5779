package mutants

import (
	"net/http"

	"onedebit/reference"
)

// InflightIsSuccess answers a repeat of a running request as if it had ended well, since it nearly always does.
var InflightIsSuccess = register(Mutant{
	Name:     "inflight-is-success",
	Doc:      "a repeat of a request that is still running is answered SUCCESS",
	Scenario: "declined-while-held",
	Check:    "same-answer",
	Says:     "two contradictory final answers",
	Sources:  []string{"mojaloop/project#460"},
	Apply: func(p *reference.Parts) {
		repeat := p.Repeat
		p.Repeat = func(p reference.Payment, sameKey bool) reference.Answer {
			a := repeat(p, sameKey)
			if !p.Status.Final() {
				a.HTTP, a.Code, a.Status, a.Message = http.StatusOK, reference.CodeSuccess, reference.Success, ""
			}
			return a
		}
	},
})
