package mutants

import (
	"context"

	"onedebit/reference"
)

// RefundNewNo tries a refund again that was not answered, and gives each try a number. The bank gives back once for each.
var RefundNewNo = register(Mutant{
	Name:     "refund-new-no",
	Doc:      "a refund that the bank did not answer is sent again under a new refund number",
	Scenario: "refund-answer-lost",
	Check:    "refunds-bounded",
	Says:     "the bank gave back",
	Sources:  []string{"saleor/saleor#19812", "own-pay/OwnPay#222", "teesofttech/PayBridge#128"},
	Apply:    func(p *reference.Parts) { p.Refund = refundWithRetry },
})

func refundWithRetry(ctx context.Context, s *reference.Service, f reference.Refund) (reference.Refund, error) {
	f, begun, err := s.BeginRefund(ctx, f)
	if err != nil || !begun {
		return f, err
	}
	reply, failure := s.AskRefund(ctx, f)
	if failure != nil {
		f.RefundNo = s.Parts.RefundNo(f)
		if _, err := s.Store.Exec(ctx, `UPDATE refund SET refund_no = ? WHERE id = ?`, f.RefundNo, f.ID); err != nil {
			return f, err
		}
		reply, failure = s.AskRefund(ctx, f)
	}
	return s.RefundAnswered(ctx, f, reply, failure)
}
