package mutants

import (
	"context"

	"onedebit/reference"
)

// PublishBeforeCommit publishes the event at the end of the transaction that pays the order, without an outbox. A
// COMMIT that is then refused has told everybody of a payment that is not there, and the next run tells them again.
var PublishBeforeCommit = register(Mutant{
	Name:     "publish-before-commit",
	Doc:      "the event is published inside the transaction, before its COMMIT",
	Scenario: "db-commit-refused",
	Check:    "effects-once",
	Says:     "granted",
	Sources:  []string{"alphagov/pay-connector#1369", "medusajs/medusa#15122"},
	Apply: func(p *reference.Parts) {
		p.Tell = func(ctx context.Context, s *reference.Service, _ *reference.Tx, e reference.Event) error {
			return publish(ctx, s, e)
		}
	},
})
