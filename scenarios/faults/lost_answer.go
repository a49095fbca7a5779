package faults

import (
	"context"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// LostAnswer loses an answer after the other side has acted: the core case of every double debit. It is lost on every
// attempt unless the scenario counts, since HTTP clients send again on their own and hide a single loss.
var LostAnswer = register(Kind{
	Name:    "lost-answer",
	Doc:     "the request is delivered and acted on; its answer never arrives",
	Example: "lost-answer: {link: bank, message: debit, nth: 1, count: all, how: reset}",
	New:     func() Fault { return &lostAnswer{} },
})

type lostAnswer struct {
	Position `yaml:",inline"`
	How      how `yaml:"how"`
}

func (f *lostAnswer) Text() string {
	return "lost: " + f.text("answer") + "; " + f.How.text()
}

func (f *lostAnswer) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, history.Answer), Do: stack.Lose{How: stack.How(f.How.orReset())}})
}
