package faults

import (
	"context"
	"fmt"
)

// BankDecline makes the bank refuse debits for good.
var BankDecline = register(Kind{
	Name:    "bank-decline",
	Doc:     "the bank declines debits definitely; nothing is taken",
	Example: "bank-decline: {nth: 1, count: 1, reason: INSUFFICIENT_FUNDS}",
	New:     func() Fault { return &bankDecline{Reason: "DECLINED"} },
})

type bankDecline struct {
	atBank `yaml:",inline"`
	Reason string `yaml:"reason"`
}

// Validate checks the name of the request. Only what moves money can be declined.
func (f *bankDecline) Validate() error { return f.check([]string{"debit", "refund", "any"}) }

func (f *bankDecline) Text() string {
	return fmt.Sprintf("the bank declines %s (%s)", f.text(), f.Reason)
}

func (f *bankDecline) Arm(ctx context.Context, env *Env) (Armed, error) {
	b := f.behaviour("decline")
	b.Reason = f.Reason
	return armBank(ctx, env, b)
}
