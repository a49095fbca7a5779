package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundTimeoutFailed takes a bank that does not answer for one that refuses, and makes the amount free for the next
// refund.
var RefundTimeoutFailed = register(Mutant{
	Name:     "refund-timeout-failed",
	Doc:      "a refund that the bank did not answer is stored as FAILED, and its amount may be refunded again",
	Scenario: "refund-answer-lost",
	Check:    "refunds-bounded",
	Says:     "is FAILED at the service",
	Sources:  []string{"own-pay/OwnPay#222", "teesofttech/PayBridge#128"},
	Apply: func(p *reference.Parts) {
		p.RefundUnanswered = func(ctx context.Context, s *reference.Service, _ reference.Refund, w reference.Word) error {
			w.Said, w.Reason = reference.SaidFailed, "TIMEOUT"
			_, err := s.SettleRefund(ctx, w)
			return err
		}
	},
})
