package mutants

import (
	"context"

	"onedebit/reference"
)

// BlindCompensation gives the money back where it cannot store the SUCCESS of its own debit: what is not in the books must
// not be kept. That a notification of the very same debit was faster does not occur to it.
var BlindCompensation = register(Mutant{
	Name:     "blind-compensation",
	Doc:      "an answer that finds its payment no longer PROCESSING gives its debit back, without a look at who has finished it",
	Scenario: "callback-before-answer",
	Check:    "ledger-agrees",
	Says:     "SUCCESS",
	Sources:  []string{"Scottcjn/rustchain-bounties#14548"},
	Apply: func(p *reference.Parts) {
		p.Debit = debitOrGiveBack
	},
})

func debitOrGiveBack(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	p, begun, err := s.Begin(ctx, p)
	if err != nil || !begun {
		return p, err
	}
	reply, failure := s.Ask(ctx, p)
	w := s.WordOf(reference.FromAnswer, p, reply, failure)
	if w.Said != reference.SaidSuccess {
		return s.Answered(ctx, p, reply, failure)
	}
	err = s.Settling(ctx, func(tx *reference.Tx) error {
		now, err := reference.LockPayment(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		if now.Status == reference.Processing {
			_, err = s.SettleIn(ctx, tx, w)
			return err
		}
		return s.Parts.Surplus(ctx, s, tx, now, w)
	})
	if err != nil {
		return p, err
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}
