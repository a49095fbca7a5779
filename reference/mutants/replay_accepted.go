package mutants

import (
	"net/http"
	"time"

	"onedebit/reference"
)

// ReplayAccepted verifies that the bank has signed a notification, and not when.
var ReplayAccepted = register(Mutant{
	Name:     "replay-accepted",
	Doc:      "a notification that the bank has signed is good for ever",
	Scenario: "false-notifications",
	Check:    "only-authentic-callbacks",
	Says:     "ago)",
	Sources:  []string{"own-pay/OwnPay#296", "profullstack/sh1pt#711"},
	Apply: func(p *reference.Parts) {
		p.Fresh = func(reference.Config, http.Header, time.Time) error { return nil }
	},
})
