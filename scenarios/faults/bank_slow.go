package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/decode"
)

// BankSlow makes the bank act at once and answer late.
var BankSlow = register(Kind{
	Name:    "bank-slow",
	Doc:     "the bank acts at once and answers late, by a real-life duration",
	Example: "bank-slow: {on: debit, by: 6s}",
	New:     func() Fault { return &bankSlow{} },
})

type bankSlow struct {
	atBank `yaml:",inline"`
	By     decode.Duration `yaml:"by"`
}

func (f *bankSlow) Validate() error {
	if f.By <= 0 {
		return errors.New("by: say by how much, for example 6s")
	}
	return f.atBank.Validate()
}

func (f *bankSlow) Text() string {
	return fmt.Sprintf("the bank answers %s only after %s", f.text(), f.By)
}

func (f *bankSlow) Arm(ctx context.Context, env *Env) (Armed, error) {
	b := f.behaviour("slow")
	b.Delay = env.Stack.Scale(time.Duration(f.By))
	return armBank(ctx, env, b)
}
