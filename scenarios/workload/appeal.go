package workload

import (
	"context"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

// Appeal asks the service for all that it knows about an order, as support does when a customer complains.
var Appeal = register(Kind{
	Name:    "appeal",
	Doc:     "a customer complains: the service is asked for the whole chain of an order, and must tell what is in its books",
	Example: "appeal: {of: A}",
	New:     func() Action { return &appeal{} },
})

type appeal struct {
	about `yaml:",inline"`
}

// Needs is that the target takes such requests.
func (s *appeal) Needs() []string { return []string{targets.Appealing} }

// RestsOn is the payment.
func (s *appeal) RestsOn() []Thing { return []Thing{aPayment(s.Of)} }

// Do reads the books first: whatever they hold by then the answer has to tell.
func (s *appeal) Do(ctx context.Context, e *Env) error {
	p, err := e.known(s.Of)
	if err != nil {
		return err
	}
	books, err := e.Observe(ctx)
	if err != nil {
		return err
	}
	ask := e.asking(p, history.OpAppeal, e.Stack.Target.Payment.Appeal, "")
	ask.tells = facts(books, p.Order)
	_, _, err = e.send(ctx, ask)
	return err
}

// facts are the names under which the books hold what belongs to an order.
func facts(r history.Reading, order string) (out []string) {
	add := func(of, name string) {
		if of == order && name != "" {
			out = append(out, name)
		}
	}
	for _, t := range r.Trades {
		add(t.Order, t.TradeNo)
	}
	for _, f := range r.Refunds {
		add(f.Order, f.RefundNo)
	}
	for _, e := range r.Events {
		add(e.Order, e.ID)
	}
	for _, s := range r.Surplus {
		add(s.Order, s.TradeNo)
	}
	return out
}
