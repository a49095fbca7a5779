package mutants

import (
	"context"

	"onedebit/reference"
)

// WholeRowSave loads the row, calls the bank, sets the state that it was told and saves the row. What a notification has
// written meanwhile is undone.
var WholeRowSave = register(Mutant{
	Name:     "whole-row-save",
	Doc:      "the answer to the debit is saved with the whole row, without a condition on the state that the row has by then",
	Scenario: "callback-over-slow-answer",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"ActiveCampaign/module-integration#85", "open-mercato/open-mercato#4700", "vendurehq/vendure#3749"},
	Apply:    func(p *reference.Parts) { p.Debit = debitAndSave },
})

func debitAndSave(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	p, begun, err := s.Begin(ctx, p)
	if err != nil || !begun {
		return p, err
	}
	reply, failure := s.Ask(ctx, p)
	w := s.WordOf(reference.FromAnswer, p, reply, failure)
	switch w.Said {
	case reference.SaidSuccess, reference.SaidFailed, reference.SaidProcessing:
	default:
		return s.Answered(ctx, p, reply, failure)
	}
	if err := s.Store.Tx(ctx, func(tx *reference.Tx) error { return saveStatus(ctx, s, tx, p, w) }); err != nil {
		return p, err
	}
	return reference.PaymentByID(ctx, s.Store, p.ID)
}
