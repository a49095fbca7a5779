package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/decode"
)

// BankGather makes the bank hold its answers until so many debits of one account have arrived. A service that lets a
// second debit through while the first is under way is caught by it every time; one that does not gets its answer when
// the wait is over.
var BankGather = register(Kind{
	Name:    "bank-gather",
	Doc:     "the bank holds its answers until so many debits of one account are there, at most for a real-life duration",
	Example: "bank-gather: {copies: 2, within: 5s}",
	New:     func() Fault { return &bankGather{} },
})

type bankGather struct {
	atBank `yaml:",inline"`
	Copies int             `yaml:"copies"`
	Within decode.Duration `yaml:"within"`
}

func (f *bankGather) Validate() error {
	if f.Copies < 2 || f.Within <= 0 {
		return errors.New("bank-gather needs copies (at least 2) and within, for example {copies: 2, within: 5s}")
	}
	if f.Count > 0 && int(f.Count) < f.Copies {
		return fmt.Errorf("count: %d requests can never be %d copies", f.Count, f.Copies)
	}
	return f.atBank.Validate()
}

func (f *bankGather) Text() string {
	return fmt.Sprintf("the bank holds its answers to %s until %d have arrived, at most %s", f.text(), f.Copies, f.Within)
}

func (f *bankGather) Arm(ctx context.Context, env *Env) (Armed, error) {
	b := f.behaviour("barrier")
	b.Copies, b.Within = f.Copies, env.Stack.Scale(time.Duration(f.Within))
	return armBank(ctx, env, b)
}
