package mutants

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"onedebit/reference"
)

// RequeueAckFirst puts a message that failed at the end of the queue: acknowledged, and published again as a copy. The
// copy goes to every consumer of the topic, with an id of its own, since the old one counts as dealt with; between the
// two steps nobody has the message.
var RequeueAckFirst = register(Mutant{
	Name:     "requeue-ack-first",
	Doc:      "a message that failed is acknowledged and then published again as a copy with an id of its own",
	Scenario: "queue-db-error",
	Check:    "effects-once",
	Says:     "times",
	Sources:  []string{"php-amqplib/RabbitMqBundle#248", "php-enqueue/enqueue-dev#1165"},
	Apply:    func(p *reference.Parts) { p.Deliver = ackThenPublish },
})

func ackThenPublish(ctx context.Context, s *reference.Service, c reference.Consumer, d reference.Delivery) error {
	e, err := reference.EventOf(d.Body())
	if err != nil {
		return d.Reject(ctx)
	}
	granted, err := s.Parts.Consume(ctx, s, c, e)
	if err == nil {
		s.LogConsumed(c, e, granted)
		return d.Ack(ctx)
	}
	s.Log.Step(e.OrderID, "", "consume."+c.Name, "ERROR", err.Error())
	if err := d.Ack(ctx); err != nil {
		return err
	}
	return publish(ctx, s, e)
}

// publish hands an event to the broker under a new id.
func publish(ctx context.Context, s *reference.Service, e reference.Event) error {
	e.ID = "pay.success:" + rand.Text()
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.Queue.Publish(ctx, []reference.Message{{ID: e.ID, Topic: s.Config.Topic, Key: e.OrderID, Body: body}})[0]
}
