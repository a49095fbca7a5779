package mutants

import (
	"context"
	"errors"
	"time"

	"onedebit/reference"
)

// OutboxSplit gathers the events of payments and writes them to the outbox in batches, which takes load off the database.
// What is gathered is in memory.
var OutboxSplit = register(Mutant{
	Name:     "outbox-split",
	Doc:      "the event is written to the outbox after the transaction of the SUCCESS, from a batch in memory",
	Scenario: "kill-after-answer",
	Check:    "events-match",
	Says:     "no event pay.success was ever written",
	Sources:  []string{"accensa/x402-facilitator-stellar#263", "alphagov/pay-connector#1369"},
	Apply:    func(p *reference.Parts) { p.Tell = tellInBatch },
})

func tellInBatch(ctx context.Context, s *reference.Service, _ *reference.Tx, e reference.Event) error {
	ctx = context.WithoutCancel(ctx)
	time.AfterFunc(s.Config.ServiceTimeout.Std()/2, func() {
		err := s.Store.Tx(ctx, func(tx *reference.Tx) error { return tx.InsertEvent(ctx, e, s.Millis()) })
		if err != nil && !errors.Is(err, reference.ErrDuplicate) {
			s.Log.Step(e.OrderID, "", "outbox.write", "ERROR", err.Error())
		}
	})
	return nil
}
