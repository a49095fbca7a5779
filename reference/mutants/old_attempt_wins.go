package mutants

import (
	"context"

	"onedebit/reference"
)

// OldAttemptWins finds the order of a notification and not the attempt. The failure of the first attempt, coming late,
// cancels the order that the second one has paid.
var OldAttemptWins = register(Mutant{
	Name:     "old-attempt-wins",
	Doc:      "a FAIL notification about an earlier attempt is applied to the order's present payment",
	Scenario: "old-attempt-fails-late",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"202-ecommerce/stripe_official#79", "themeum/tutor#2360", "frappe/press#277"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			result, err := settle(ctx, s, n)
			if err != nil || n.Status != string(reference.SaidFailed) || n.RefundNo != "" {
				return result, err
			}
			return result, failOrder(ctx, s, n)
		}
	},
})

// failOrder cancels the order of a trade number, where the order is paid by another.
func failOrder(ctx context.Context, s *reference.Service, n reference.Notification) error {
	attempt, known := paidBy(ctx, s, n.TradeNo)
	if !known {
		return nil
	}
	now, err := reference.PaymentByOrder(ctx, s.Store, attempt.Merchant, attempt.OrderID)
	if err != nil || now.ID == attempt.ID {
		return err
	}
	_, err = s.Store.Exec(ctx, `UPDATE pay_transaction SET status = 'FAILED', reason = ?, updated_at = ? WHERE id = ?`, n.Reason, s.Millis(), now.ID)
	return err
}
