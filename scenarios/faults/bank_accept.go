package faults

import (
	"context"
	"fmt"

	"onedebit/scenarios/targets"
)

// BankAccept makes the bank take debits on without moving money: it answers PROCESSING, and the scenario says later what
// comes of it.
var BankAccept = register(Kind{
	Name:    "bank-accept",
	Doc:     "the bank takes debits on and answers PROCESSING; a bank-settles step says later what comes of them",
	Example: "bank-accept: {nth: 1, count: 1}",
	New:     func() Fault { return &bankAccept{} },
})

type bankAccept struct {
	atBank `yaml:",inline"`
}

// Validate checks the name of the request. Nothing but a debit can be taken on.
func (f *bankAccept) Validate() error { return f.check([]string{"debit", "any"}) }

// Abilities are that the bank can say so.
func (f *bankAccept) Abilities() []string { return []string{targets.BankPending} }

func (f *bankAccept) Text() string {
	return fmt.Sprintf("the bank takes %s on without a result yet", f.text())
}

func (f *bankAccept) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armBank(ctx, env, f.behaviour("accept"))
}
