package faults

import (
	"context"
	"errors"
	"fmt"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Gather makes a race certain: it keeps messages back until so many of them are there, then lets all go at once.
// What each sender had looked up before it sent is then out of date for all but one.
var Gather = register(Kind{
	Name:    "gather",
	Doc:     "messages are kept back until so many copies are there, then all are let go at once",
	Example: "gather: {link: cache, message: SET, part: request, copies: 2}",
	New:     func() Fault { return &gather{part: part{history.Request}} },
})

type gather struct {
	Position `yaml:",inline"`
	part     `yaml:",inline"`
	Copies   int `yaml:"copies"`
}

func (f *gather) Validate() error {
	if f.Copies < 2 {
		return errors.New("copies: say how many, at least 2")
	}
	if f.Count > 0 && int(f.Count) < f.Copies {
		return fmt.Errorf("count: %d messages can never be %d copies", f.Count, f.Copies)
	}
	return errors.Join(f.check(), f.Position.Validate())
}

func (f *gather) Text() string {
	return fmt.Sprintf("kept back until %d are there: %s", f.Copies, f.text(f.Part))
}

func (f *gather) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, f.Part), Do: stack.Barrier{Copies: f.Copies}})
}
