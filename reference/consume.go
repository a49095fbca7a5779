package reference

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Consumer is one part of the house downstream, with its own consumer group of the same name.
type Consumer struct {
	Name   string // of the group, and of the table of what a paid order brings
	grants map[string]grant
}

// grant stores the effect of one event under a fresh id.
type grant func(ctx context.Context, tx *Tx, id string, e Event, now int64) error

var consumers = []Consumer{
	{Name: "membership", grants: map[string]grant{EventPaid: grantMembership, EventRefunded: noticeRefund}},
	{Name: "coupon", grants: map[string]grant{EventPaid: grantCoupon}},
}

func grantMembership(ctx context.Context, tx *Tx, id string, e Event, now int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO membership (id, order_id, merchant, created_at) VALUES (?, ?, ?, ?)`, id, e.OrderID, e.Merchant, now)
	return err
}

func grantCoupon(ctx context.Context, tx *Tx, id string, e Event, now int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO coupon (id, order_id, merchant, created_at) VALUES (?, ?, ?, ?)`, id, e.OrderID, e.Merchant, now)
	return err
}

// noticeRefund tells the member of the refund.
func noticeRefund(ctx context.Context, tx *Tx, id string, e Event, now int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO refund_notice (id, refund_id, order_id, merchant, created_at) VALUES (?, ?, ?, ?, ?)`, id, e.RefundID, e.OrderID, e.Merchant, now)
	return err
}

// Consumers returns all consumers.
func Consumers() []Consumer { return append([]Consumer(nil), consumers...) }

// Grant stores the effect of an event; an event of a type that does not concern the consumer has none.
func (c Consumer) Grant(ctx context.Context, tx *Tx, e Event, now int64) error {
	if store, concerns := c.grants[e.Type]; concerns {
		return store(ctx, tx, uuid.NewString(), e, now)
	}
	return nil
}

// consumeOnce grants the effect of an event and remembers the event in one transaction. It reports false where the
// event was consumed before.
func consumeOnce(ctx context.Context, s *Service, c Consumer, e Event) (bool, error) {
	err := s.Store.Tx(ctx, func(tx *Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO consumed_event (consumer, event_id) VALUES (?, ?)`, c.Name, e.ID); err != nil {
			return err
		}
		return c.Grant(ctx, tx, e, s.Millis())
	})
	if errors.Is(err, ErrDuplicate) {
		return false, nil
	}
	return err == nil, err
}

// deliver carries out one message and acknowledges it when its effect is committed. A message that is no event can never
// be carried out; one that the database did not take comes again.
func deliver(ctx context.Context, s *Service, c Consumer, d Delivery) error {
	e, err := EventOf(d.Body())
	if err != nil {
		s.Log.Step("", "", "consume."+c.Name, "BAD_MESSAGE", d.Where())
		return d.Reject(ctx)
	}
	granted, err := s.Parts.Consume(ctx, s, c, e)
	if err != nil {
		s.Log.Step(e.OrderID, "", "consume."+c.Name, "ERROR", err.Error())
		return d.Again(ctx)
	}
	s.LogConsumed(c, e, granted)
	return d.Ack(ctx)
}

// LogConsumed writes the line of an event that is dealt with.
func (s *Service) LogConsumed(c Consumer, e Event, granted bool) {
	status := "SUCCESS"
	if !granted {
		status = "SKIP_DUPLICATE"
	}
	s.Log.Step(e.OrderID, "", "consume."+c.Name, status, "event="+e.ID)
}

// pause waits, and reports false where ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
