package mutants

import (
	"errors"
	"net/http"

	"onedebit/reference"
)

// NoSignature looks whether there is a signature.
var NoSignature = register(Mutant{
	Name:     "no-signature",
	Doc:      "a notification needs a signature header, and what it holds is not verified",
	Scenario: "false-notifications",
	Check:    "only-authentic-callbacks",
	Says:     "signed with another key",
	Sources:  []string{"Azuriom/Plugin-Shop#284", "Carrington-dev/dj-payfast#30"},
	Apply: func(p *reference.Parts) {
		p.Authentic = func(_ reference.Config, h http.Header, _ []byte) error {
			if h.Get("X-Bank-Signature") == "" {
				return errors.New("X-Bank-Signature is missing")
			}
			return nil
		}
	},
})
