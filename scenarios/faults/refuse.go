package faults

import (
	"context"
	"strings"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Refuse makes the database refuse a statement, as it does with a deadlock or a serialization failure: the statement is
// not carried out, and the service gets the server's own kind of error. A COMMIT that is refused is rolled back.
var Refuse = register(Kind{
	Name:    "refuse",
	Doc:     "the database refuses statements with an error such as 40001 (PostgreSQL) or 1213 (MySQL); a refused COMMIT is rolled back",
	Example: "refuse: {link: db, message: COMMIT, nth: 1, count: 1}",
	New:     func() Fault { return &refuse{Position: Position{Link: stack.DBLink, Count: 1}} },
})

type refuse struct {
	Position `yaml:",inline"`
	Code     string `yaml:"code"` // the server's own; a serialization failure or deadlock where not given
}

func (f *refuse) Text() string {
	with := ""
	if f.Code != "" {
		with = " with " + f.Code
	}
	return "refused by the database" + with + ": " + strings.TrimSpace(f.text("statement"))
}

func (f *refuse) Arm(ctx context.Context, env *Env) (Armed, error) {
	return armTap(ctx, env, f.Link, stack.Rule{Match: f.match(env, history.Request), Do: stack.Refuse{Code: f.Code}})
}
