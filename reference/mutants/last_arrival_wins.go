package mutants

import (
	"context"

	"onedebit/reference"
)

// LastArrivalWins keeps the row in step with the bank: whatever state comes last is stored. Notifications overtake each
// other, so the last to arrive is not the newest.
var LastArrivalWins = register(Mutant{
	Name:     "last-arrival-wins",
	Doc:      "a notification of PROCESSING is stored whatever the row says by then",
	Scenario: "success-then-fail",
	Check:    "success-is-final",
	Says:     "was SUCCESS, and after that",
	Sources:  []string{"laravel/cashier-stripe#1201", "stripe/stripe-cli#418", "open-mercato/open-mercato#4700"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			result, err := settle(ctx, s, n)
			if err != nil || result == reference.ResultDuplicate || n.Status != string(reference.SaidProcessing) {
				return result, err
			}
			_, err = s.Store.Exec(ctx, `UPDATE pay_transaction SET status = ?, updated_at = ? WHERE trade_no = ?`, n.Status, s.Millis(), n.TradeNo)
			return n.Status, err
		}
	},
})
