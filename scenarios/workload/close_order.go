package workload

import (
	"context"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// CloseOrder ends an order that is not paid, as a shop does that no longer waits for the money.
var CloseOrder = register(Kind{
	Name:    "close-order",
	Doc:     "a client ends an order that is not paid; the service must find out first whether it is",
	Example: "close-order: {of: A}",
	New:     func() Action { return &closeOrder{} },
})

type closeOrder struct {
	about `yaml:",inline"`
}

// Needs is that the target takes such requests.
func (s *closeOrder) Needs() []string { return []string{targets.Closing} }

// RestsOn is the payment.
func (s *closeOrder) RestsOn() []Thing { return []Thing{aPayment(s.Of)} }

func (s *closeOrder) Do(ctx context.Context, e *Env) error {
	p, err := e.known(s.Of)
	if err != nil {
		return err
	}
	_, err = e.untilAnswered(ctx, e.asking(p, history.OpClose, e.Stack.Target.Payment.Close, ""), usualRetries)
	return err
}
