package faults

import (
	"context"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// LostRequest loses a request on its way: the other side never hears of it, and the caller cannot tell this from
// LostAnswer.
var LostRequest = register(Kind{
	Name:    "lost-request",
	Doc:     "the request is never delivered; the caller sees only that no answer came",
	Example: "lost-request: {link: bank, message: debit, nth: 1, count: all, how: reset}",
	New:     func() Fault { return &lostRequest{} },
})

type lostRequest struct {
	Position `yaml:",inline"`
	How      how `yaml:"how"`
}

func (f *lostRequest) Text() string {
	return "lost before delivery: " + f.text("request") + "; " + f.How.text()
}

func (f *lostRequest) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, history.Request), Do: stack.Lose{How: stack.How(f.How.orReset())}})
}
