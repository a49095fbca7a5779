package mutants

import (
	"context"

	"onedebit/reference"
)

// LateReadCancels reads a debit back after it was answered, to be quite sure. When the reading fails the whole step has
// failed, and with it the payment.
var LateReadCancels = register(Mutant{
	Name:     "late-read-cancels",
	Doc:      "a debit that was answered is read back, and where that read fails the payment is stored as FAILED",
	Scenario: "queries-unanswered",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"peanutprotocol/peanut-ui#2619"},
	Apply:    func(p *reference.Parts) { p.Debit = debitAndReadBack },
})

func debitAndReadBack(ctx context.Context, s *reference.Service, p reference.Payment) (reference.Payment, error) {
	p, begun, err := s.Begin(ctx, p)
	if err != nil || !begun {
		return p, err
	}
	reply, failure := s.Ask(ctx, p)
	if failure == nil && reply.Status == string(reference.SaidSuccess) {
		if _, err := s.Bank.Query(ctx, p.TradeNo); err != nil {
			reply = reference.Reply{TradeNo: p.TradeNo, Status: string(reference.SaidFailed), Reason: "NOT_CONFIRMED"}
		}
	}
	return s.Answered(ctx, p, reply, failure)
}
