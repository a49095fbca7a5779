package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// EffectAndMarkSplit grants, acknowledges, and then notes the message as done. When it dies before the acknowledgement
// the message comes again, and nothing is noted.
var EffectAndMarkSplit = register(Mutant{
	Name:     "effect-and-mark-split",
	Doc:      "a consumer stores its effect and remembers the event in two transactions, the second behind the acknowledgement",
	Scenario: "kill-before-acknowledge",
	Check:    "effects-once",
	Says:     "times",
	Sources:  []string{"fairmondo/fairmondo#1425", "sidekiq/sidekiq#4112", "langfuse/langfuse#15463"},
	Apply: func(p *reference.Parts) {
		p.Consume = grantUnlessMarked
		deliver := p.Deliver
		p.Deliver = func(ctx context.Context, s *reference.Service, c reference.Consumer, d reference.Delivery) error {
			if err := deliver(ctx, s, c, d); err != nil {
				return err
			}
			e, err := reference.EventOf(d.Body())
			if err != nil {
				return nil
			}
			_, err = s.Store.Exec(ctx, `INSERT INTO consumed_event (consumer, event_id) VALUES (?, ?)`, c.Name, e.ID)
			if errors.Is(err, reference.ErrDuplicate) {
				return nil
			}
			return err
		}
	},
})

func grantUnlessMarked(ctx context.Context, s *reference.Service, c reference.Consumer, e reference.Event) (bool, error) {
	var id string
	err := s.Store.Get(ctx, &id, `SELECT event_id FROM consumed_event WHERE consumer = ? AND event_id = ?`, c.Name, e.ID)
	if err == nil || !errors.Is(err, reference.ErrAbsent) {
		return false, err
	}
	err = s.Store.Tx(ctx, func(tx *reference.Tx) error { return c.Grant(ctx, tx, e, s.Millis()) })
	return err == nil, err
}
