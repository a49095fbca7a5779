package faults

import (
	"context"
	"fmt"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Hold keeps a message back until it is released or healed: name the message, stop it, let the rival pass, let go. It is
// the tool against races that chance would decide.
var Hold = register(Kind{
	Name:    "hold",
	Doc:     "a message is kept back until the scenario releases it",
	Example: "hold: {link: bank, message: debit, part: answer, nth: 1, count: 1}",
	New:     func() Fault { return &hold{Position: Position{Count: 1}, part: part{"answer"}} },
})

type hold struct {
	Position `yaml:",inline"`
	part     `yaml:",inline"`
}

// part chooses the request or its answer.
type part struct {
	Part string `yaml:"part"`
}

func (p *part) check() error {
	if p.Part != history.Request && p.Part != history.Answer {
		return fmt.Errorf("part: %s", decode.UnknownName("part of an exchange", p.Part, []string{history.Request, history.Answer}))
	}
	return nil
}

func (f *hold) Validate() error {
	if err := f.check(); err != nil {
		return err
	}
	return f.Position.Validate()
}

func (f *hold) Text() string { return "held back: " + f.text(f.Part) }

func (f *hold) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, f.Part), Do: stack.Hold{}})
}
