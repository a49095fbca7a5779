package mutants

import (
	"context"

	"onedebit/reference"
)

// ConsumeNoDedup grants for every message. A queue delivers at least once.
var ConsumeNoDedup = register(Mutant{
	Name:     "consume-no-dedup",
	Doc:      "consumers do not remember which events they have carried out",
	Scenario: "replay-ten-times",
	Check:    "effects-once",
	Says:     "times",
	Sources:  []string{"incident", "elixir-broadway/broadway_rabbitmq#6", "spring-projects/spring-kafka#3186", "mollie/laravel-cashier-mollie#321"},
	Apply: func(p *reference.Parts) {
		p.Consume = func(ctx context.Context, s *reference.Service, c reference.Consumer, e reference.Event) (bool, error) {
			err := s.Store.Tx(ctx, func(tx *reference.Tx) error { return c.Grant(ctx, tx, e, s.Millis()) })
			return err == nil, err
		}
	},
})
