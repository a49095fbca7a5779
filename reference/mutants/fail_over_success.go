package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// FailOverSuccess writes what the last notification says. A FAIL that comes after SUCCESS undoes a paid order.
var FailOverSuccess = register(Mutant{
	Name:     "fail-over-success",
	Doc:      "a FAIL notification overwrites SUCCESS",
	Scenario: "success-then-fail",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"incident", "Adyen/adyen-magento2#1631", "Adyen/adyen-magento2#607", "omise/omise-woocommerce#103"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			if n.Status != string(reference.SaidFailed) || n.RefundNo != "" {
				return settle(ctx, s, n)
			}
			return failByNotification(ctx, s, n)
		}
	},
})

func failByNotification(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
	err := s.Store.Tx(ctx, func(tx *reference.Tx) error {
		if err := tx.InsertCallback(ctx, n, s.Millis()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE pay_transaction SET status = 'FAILED', reason = ?, updated_at = ? WHERE trade_no = ?`, n.Reason, s.Millis(), n.TradeNo); err != nil {
			return err
		}
		return tx.CallbackResult(ctx, n.ID, string(reference.Failed))
	})
	if errors.Is(err, reference.ErrDuplicate) {
		return reference.ResultDuplicate, nil
	}
	return string(reference.Failed), err
}
