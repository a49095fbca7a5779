package reference

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// takeUp claims a payment that was left behind, by setting its time, so that no two instances work on it side by side.
func takeUp(ctx context.Context, s *Service, p *Payment) (bool, error) {
	now := s.Millis()
	rows, err := s.Store.Exec(ctx, `UPDATE pay_transaction SET updated_at = ? WHERE id = ? AND status = ? AND updated_at = ?`, now, p.ID, p.Status, p.UpdatedAt)
	if err != nil {
		return false, fmt.Errorf("taking up payment %s: %w", p.ID, err)
	}
	p.UpdatedAt = now
	return rows == 1, nil
}

// takeUpRefund claims a refund that was left behind, as takeUp does a payment.
func takeUpRefund(ctx context.Context, s *Service, f *Refund) (bool, error) {
	now := s.Millis()
	rows, err := s.Store.Exec(ctx, `UPDATE refund SET updated_at = ? WHERE id = ? AND status = ? AND updated_at = ?`, now, f.ID, f.Status, f.UpdatedAt)
	if err != nil {
		return false, fmt.Errorf("taking up refund %s: %w", f.RefundNo, err)
	}
	f.UpdatedAt = now
	return rows == 1, nil
}

// takeEvents claims stored events that are not sent and that no other relay has, oldest first, for as long as the broker
// may take to confirm them. The claim of a relay that died ends by itself.
func takeEvents(ctx context.Context, s *Service) ([]OutboxEvent, error) {
	now := s.Millis()
	var ids []string
	err := s.Store.Select(ctx, &ids, `SELECT event_id FROM outbox_event WHERE sent_at IS NULL AND claimed_until <= ? ORDER BY created_at, event_id LIMIT ?`, now, relayBatch)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	claim := s.Config.Instance + "/" + uuid.NewString()
	lease := now + (confirmWithin(s.Config) + 2*time.Second).Milliseconds()
	args := []any{claim, lease, now}
	for _, id := range ids {
		args = append(args, id)
	}
	if _, err = s.Store.Exec(ctx, `UPDATE outbox_event SET claimed_by = ?, claimed_until = ? WHERE sent_at IS NULL AND claimed_until <= ? AND event_id IN (?`+
		strings.Repeat(", ?", len(ids)-1)+`)`, args...); err != nil {
		return nil, fmt.Errorf("claiming %d events: %w", len(ids), err)
	}
	var events []OutboxEvent
	err = s.Store.Select(ctx, &events, `SELECT event_id, order_id, topic, payload, claimed_by FROM outbox_event WHERE claimed_by = ? AND sent_at IS NULL ORDER BY created_at, event_id`, claim)
	return events, err
}

// dropClaims gives back the events that the broker did not take, so that the next round, of whichever relay, tries again.
func dropClaims(ctx context.Context, s *Service, events []OutboxEvent) error {
	_, err := s.Store.Exec(ctx, `UPDATE outbox_event SET claimed_until = 0 WHERE claimed_by = ? AND sent_at IS NULL`, events[0].ClaimedBy)
	return err
}
