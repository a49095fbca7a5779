package mutants

import (
	"context"

	"onedebit/reference"
)

// UnknownReruns carries a repeat out again where the first try has come to nothing certain, since the client asks for it.
// A bank that does not know its numbers again debits again.
var UnknownReruns = register(Mutant{
	Name:     "unknown-reruns",
	Doc:      "a repeat of a payment that is UNKNOWN is sent to the bank again, before anybody has asked what became of it",
	Scenario: "bank-answer-lost",
	Check:    "one-debit",
	Says:     "has 1 SUCCESS row",
	Sources:  []string{"https://archives.thecontentfirm.com/securityfraud/12-million-in-duplicate-charges-from-shell-oil-telco-crash/2", "ACINQ/eclair-mobile#108"},
	Apply:    func(p *reference.Parts) { p.Admit = askAgainWhile(p.Admit, reference.Unknown) },
})

// askAgainWhile sends the debit of a payment again, under its number, when it is repeated in this state.
func askAgainWhile(admit admitPart, state reference.Status) admitPart {
	return func(ctx context.Context, s *reference.Service, r reference.PayRequest) (reference.Admission, error) {
		first, err := reference.PaymentByKey(ctx, s.Store, r.Merchant, r.Key)
		if err != nil || first.Status != state || first.Fingerprint != s.Parts.Fingerprint(r) {
			return admit(ctx, s, r)
		}
		reply, failure := s.Ask(ctx, first)
		again, err := s.Answered(ctx, first, reply, failure)
		return reference.Admission{Answer: s.Existing(r, again, true)}, err
	}
}
