package mutants

import (
	"context"

	"onedebit/reference"
)

// AckBeforeWork tells the broker at once that a message has arrived, so that slow work does not have it delivered
// again. When the process dies, or the work fails, nobody has the message any more.
var AckBeforeWork = register(Mutant{
	Name:     "ack-before-work",
	Doc:      "a consumer acknowledges a message and then carries it out",
	Scenario: "queue-kill-in-work",
	Check:    "effects-once",
	Says:     "was never granted",
	Sources:  []string{"php-amqplib/RabbitMqBundle#248", "php-enqueue/enqueue-dev#1165"},
	Apply:    func(p *reference.Parts) { p.Deliver = ackThenWork },
})

func ackThenWork(ctx context.Context, s *reference.Service, c reference.Consumer, d reference.Delivery) error {
	e, err := reference.EventOf(d.Body())
	if err != nil {
		return d.Reject(ctx)
	}
	if err := d.Ack(ctx); err != nil {
		return err
	}
	granted, err := s.Parts.Consume(ctx, s, c, e)
	if err != nil {
		s.Log.Step(e.OrderID, "", "consume."+c.Name, "ERROR", err.Error())
		return nil
	}
	s.LogConsumed(c, e, granted)
	return nil
}
