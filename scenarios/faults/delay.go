package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Delay lets a message arrive late.
var Delay = register(Kind{
	Name:    "delay",
	Doc:     "messages arrive late, by a real-life duration",
	Example: "delay: {link: bank, message: debit, part: answer, by: 6s}",
	New:     func() Fault { return &delay{part: part{history.Answer}} },
})

type delay struct {
	Position `yaml:",inline"`
	part     `yaml:",inline"`
	By       decode.Duration `yaml:"by"`
}

func (f *delay) Validate() error {
	if f.By <= 0 {
		return errors.New("by: say by how much, for example 6s")
	}
	return errors.Join(f.check(), f.Position.Validate())
}

func (f *delay) Text() string { return fmt.Sprintf("late by %s: %s", f.By, f.text(f.Part)) }

func (f *delay) Arm(ctx context.Context, env *Env) (Armed, error) {
	by := env.Stack.Scale(time.Duration(f.By))
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, f.Part), Do: stack.Delay{By: by}})
}
