package faults

import (
	"context"

	"onedebit/scenarios/targets"
)

// BankOverlooks makes the bank's queries lag behind its books, as read replicas do.
var BankOverlooks = register(Kind{
	Name:    "bank-overlooks",
	Doc:     "the bank answers queries with not found, also about what it has debited",
	Example: "bank-overlooks: {nth: 1, count: 2}",
	New:     func() Fault { return &bankOverlooks{atBank{On: "query"}} },
})

type bankOverlooks struct {
	atBank `yaml:",inline"`
}

// Validate checks the name of the request. Nothing but a question can be overlooked.
func (f *bankOverlooks) Validate() error { return f.check([]string{"query"}) }

// Abilities are that the bank takes questions.
func (f *bankOverlooks) Abilities() []string { return []string{targets.BankQuery} }

func (f *bankOverlooks) Text() string { return "the bank finds nothing at " + f.text() }

func (f *bankOverlooks) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armBank(ctx, env, f.behaviour("overlook"))
}
