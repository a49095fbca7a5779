package reference

import (
	"context"
	"fmt"
)

// relayBatch bounds the events that one round publishes.
const relayBatch = 100

// OutboxEvent is one stored event that a relay has claimed.
type OutboxEvent struct {
	ID        string `db:"event_id"`
	OrderID   string `db:"order_id"`
	Topic     string `db:"topic"`
	Payload   string `db:"payload"`
	ClaimedBy string `db:"claimed_by"`
}

// relay publishes what is stored and not yet sent and not in the hands of another instance, and never gives an event up. An event is sent when the broker has
// confirmed it; one whose mark is lost is sent again with the same id.
func (s *Service) relay(ctx context.Context) error {
	rows, err := s.Parts.TakeEvents(ctx, s)
	if err != nil || len(rows) == 0 {
		return err
	}
	messages := make([]Message, len(rows))
	for i, row := range rows {
		messages[i] = Message{ID: row.ID, Topic: row.Topic, Key: row.OrderID, Body: []byte(row.Payload)}
	}
	failed := 0
	var cause error
	for i, err := range s.Queue.Publish(ctx, messages) {
		row := rows[i]
		if err != nil {
			failed, cause = failed+1, err
			if err := s.Parts.Unsent(ctx, s, row.ID, err); err != nil {
				return fmt.Errorf("noting that event %s was not sent: %w", row.ID, err)
			}
			continue
		}
		if _, err := s.Store.Exec(ctx, `UPDATE outbox_event SET sent_at = ? WHERE event_id = ? AND sent_at IS NULL`, s.Millis(), row.ID); err != nil {
			return fmt.Errorf("marking event %s as sent: %w", row.ID, err)
		}
		s.Log.Step(row.OrderID, "", "outbox.publish", "SUCCESS", "event="+row.ID)
	}
	if failed > 0 {
		if err := dropClaims(ctx, s, rows); err != nil {
			return fmt.Errorf("giving back %d events that were not sent: %w", failed, err)
		}
		return fmt.Errorf("publishing %d of %d events: %w", failed, len(rows), cause)
	}
	return nil
}

// keepEvent leaves an event in the outbox for as long as it takes.
func keepEvent(context.Context, *Service, string, error) error { return nil }
