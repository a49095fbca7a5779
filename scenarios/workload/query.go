package workload

import (
	"context"
	"errors"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// Query asks the service for the state of a payment, as a client does who does not know.
var Query = register(Kind{
	Name:    "query",
	Doc:     "a client asks the service for the state of a payment, or of one of its refunds",
	Example: "query: {of: A, refund: r1}",
	New:     func() Action { return &query{} },
})

type query struct {
	about  `yaml:",inline"`
	Refund string `yaml:"refund"` // which refund; none where not given
}

func (s *query) Needs() []string {
	if s.Refund != "" {
		return []string{targets.Refunding, targets.Querying}
	}
	return []string{targets.Querying}
}

// RestsOn is the payment, or the refund that is asked about.
func (s *query) RestsOn() []Thing {
	if s.Refund != "" {
		return []Thing{aPayment(s.Of), aRefund(s.Of, s.Refund)}
	}
	return []Thing{aPayment(s.Of)}
}

func (s *query) Do(ctx context.Context, e *Env) error {
	p, err := e.known(s.Of)
	if err != nil {
		return err
	}
	ask := e.asking(p, history.OpQuery, e.Stack.Target.Payment.Query, "")
	if s.Refund != "" {
		known, err := e.refundOf(p, s.Refund)
		if err != nil {
			return err
		}
		ask.request, ask.refund, ask.amount = e.Stack.Target.Refund.Query, known.RefundID, known.Amount
	}
	if ask.request == nil {
		return errors.New("the target has no query request")
	}
	_, _, err = e.send(ctx, ask)
	return err
}
