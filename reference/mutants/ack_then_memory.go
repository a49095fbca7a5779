package mutants

import (
	"context"
	"fmt"
	"time"

	"onedebit/reference"
)

// AckThenMemory answers the bank at once and keeps the notification in memory for the next batch. What a process that dies
// has acknowledged nobody sends again.
var AckThenMemory = register(Mutant{
	Name:     "ack-then-memory",
	Doc:      "a notification is acknowledged first and then carried out from a batch in memory",
	Scenario: "kill-after-acknowledge",
	Check:    "ledger-agrees",
	Says:     "its row is FAILED",
	Sources:  []string{"aasmanj/altarwed#610", "php-amqplib/RabbitMqBundle#248"},
	Apply: func(p *reference.Parts) {
		settle := p.Callback
		p.Callback = func(ctx context.Context, s *reference.Service, n reference.Notification) (string, error) {
			time.AfterFunc(s.Config.ServiceTimeout.Std(), func() {
				if _, err := settle(context.WithoutCancel(ctx), s, n); err != nil {
					s.Log.Step("", "", "callback.batch", "ERROR", fmt.Sprintf("id=%s: %v", n.ID, err))
				}
			})
			return "accepted", nil
		}
	},
})
