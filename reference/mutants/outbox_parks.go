package mutants

import (
	"context"
	"errors"

	"onedebit/reference"
)

// OutboxParks gives an event up when the broker has refused it five times, so that one bad event does not hold up the
// others. A broker that is away refuses all of them.
var OutboxParks = register(Mutant{
	Name:     "outbox-parks",
	Doc:      "an event is given up after five errors of the broker",
	Scenario: "broker-away",
	Check:    "effects-once",
	Says:     "was never granted",
	Sources:  []string{"pipeshub-ai/pipeshub-ai#3445"},
	Apply: func(p *reference.Parts) {
		p.Schema = func() []string {
			return append(reference.Schema(), `CREATE TABLE IF NOT EXISTS outbox_error (event_id VARCHAR(160) NOT NULL PRIMARY KEY, tries BIGINT NOT NULL)`)
		}
		p.Unsent = giveUp
	},
})

// patience is how often the broker may refuse an event.
const patience = 5

func giveUp(ctx context.Context, s *reference.Service, event string, _ error) error {
	return s.Store.Tx(ctx, func(tx *reference.Tx) error {
		var tries int
		err := tx.Get(ctx, &tries, `SELECT tries FROM outbox_error WHERE event_id = ?`, event)
		switch {
		case errors.Is(err, reference.ErrAbsent):
			_, err = tx.Exec(ctx, `INSERT INTO outbox_error (event_id, tries) VALUES (?, 1)`, event)
		case err == nil:
			_, err = tx.Exec(ctx, `UPDATE outbox_error SET tries = tries + 1 WHERE event_id = ?`, event)
		}
		if err != nil || tries+1 < patience {
			return err
		}
		s.Log.Step("", "", "outbox.publish", "PARKED", "event="+event)
		_, err = tx.Exec(ctx, `UPDATE outbox_event SET sent_at = -1 WHERE event_id = ?`, event)
		return err
	})
}
