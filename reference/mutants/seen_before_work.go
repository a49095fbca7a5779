package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// SeenBeforeWork notes an event as seen, so that nobody else takes it up, and then carries it out. Where the work fails,
// the event comes again and has been seen.
var SeenBeforeWork = register(Mutant{
	Name:     "seen-before-work",
	Doc:      "a consumer remembers the event before it carries it out, and goes on remembering it where the work fails",
	Scenario: "queue-db-error",
	Check:    "effects-once",
	Says:     "was never granted",
	Sources:  []string{"incident", "langfuse/langfuse#15463", "spookylukey/django-paypal#119"},
	Apply: func(p *reference.Parts) {
		p.Consume = func(ctx context.Context, s *reference.Service, c reference.Consumer, e reference.Event) (bool, error) {
			_, err := s.Store.Exec(ctx, `INSERT INTO consumed_event (consumer, event_id) VALUES (?, ?)`, c.Name, e.ID)
			if errors.Is(err, reference.ErrDuplicate) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			err = s.Store.Tx(ctx, func(tx *reference.Tx) error { return c.Grant(ctx, tx, e, s.Millis()) })
			return err == nil, err
		}
	},
})
