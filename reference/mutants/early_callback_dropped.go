package mutants

import (
	"context"

	"onedebit/reference"
)

// EarlyCallbackDropped leaves the goods to the notification, which every payment is followed by. One that overtakes the
// answer to the debit finds an order that is not ready for it, is acknowledged, and never comes again.
var EarlyCallbackDropped = register(Mutant{
	Name:     "early-callback-dropped",
	Doc:      "a notification that comes before the answer to the debit is stored is acknowledged and forgotten, and only notifications bring the goods",
	Scenario: "callback-before-answer",
	Check:    "effects-once",
	Says:     "was never granted",
	Sources:  []string{"craftcms/commerce-stripe#318", "Automattic/woocommerce-payments#3118"},
	Apply: func(p *reference.Parts) {
		event, settle := p.Event, p.Callback
		p.Event = func(cfg reference.Config, p reference.Payment, w reference.Word) (reference.Event, bool) {
			if w.Source == reference.FromAnswer && cfg.PublicURL != "" {
				return reference.Event{}, false
			}
			return event(cfg, p, w)
		}
		p.Callback = grantWhereReady(settle)
	},
})

func grantWhereReady(settle callbackPart) callbackPart {
	return func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
		p, known := paidBy(ctx, s, n.TradeNo)
		if !known || n.Status != string(reference.SaidSuccess) || n.RefundNo != "" {
			return settle(ctx, s, n)
		}
		if p.Status == reference.Processing {
			s.Log.Step(p.OrderID, p.TraceID, "callback.receive", "SKIP_EARLY", "id="+n.ID)
			return "early", nil
		}
		result, err := settle(ctx, s, n)
		if err == nil && result != reference.ResultDuplicate {
			err = tellIfPaid(ctx, s, p)
		}
		return result, err
	}
}
