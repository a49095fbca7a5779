package faults

import (
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Cut hands on half of a message and ends its connection: what is read of it must never be taken for the whole.
var Cut = register(Kind{
	Name:    "cut",
	Doc:     "only the beginning of a message arrives, and its connection ends",
	Example: "cut: {link: bank, message: debit, part: answer, nth: 1, count: 1, bytes: 20}",
	New:     func() Fault { return &cut{part: part{history.Answer}} },
})

type cut struct {
	Position `yaml:",inline"`
	part     `yaml:",inline"`
	How      how `yaml:"how"`
	Bytes    int `yaml:"bytes"` // how many arrive, always less than all; half of the message where not given
}

func (f *cut) Validate() error {
	if f.Bytes < 0 {
		return errors.New("bytes: less than nothing cannot arrive")
	}
	return errors.Join(f.check(), f.Position.Validate())
}

func (f *cut) Text() string {
	some := "half"
	if f.Bytes > 0 {
		some = fmt.Sprintf("%d bytes", f.Bytes)
	}
	return fmt.Sprintf("cut after %s: %s; %s", some, f.text(f.Part), f.How.text())
}

func (f *cut) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, f.Part), Do: stack.Cut{How: stack.How(f.How.orReset()), Bytes: f.Bytes}})
}
