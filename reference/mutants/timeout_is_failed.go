package mutants

import (
	"context"

	"onedebit/reference"
)

// TimeoutIsFailed takes a bank that does not answer for a bank that refuses. Nobody asks about a FAILED row again.
var TimeoutIsFailed = register(Mutant{
	Name:     "timeout-is-failed",
	Doc:      "no answer of the bank is stored as FAILED",
	Scenario: "gateway-gives-up-no-callback",
	Check:    "unknown-is-not-failed",
	Says:     "FAILED although the bank had taken",
	Sources:  []string{"own-pay/OwnPay#222", "teesofttech/PayBridge#128", "paypal/PayPal-Android-SDK#278"},
	Apply:    func(p *reference.Parts) { p.Unanswered = fail },
})

func fail(ctx context.Context, s *reference.Service, _ reference.Payment, w reference.Word) error {
	w.Said, w.Reason = reference.SaidFailed, "TIMEOUT"
	_, err := s.Settle(ctx, w)
	return err
}
