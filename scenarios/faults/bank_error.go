package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// BankError makes the bank act and answer with a server error: the caller cannot know that it was acted on.
var BankError = register(Kind{
	Name:    "bank-error",
	Doc:     "the bank acts (before: true: does not act) and answers with a 5xx",
	Example: "bank-error: {on: debit, status: 502}",
	New:     func() Fault { return &bankError{Status: http.StatusBadGateway} },
})

type bankError struct {
	atBank `yaml:",inline"`
	Status int  `yaml:"status"`
	Before bool `yaml:"before"`
}

func (f *bankError) Validate() error {
	if f.Status < 500 || f.Status > 599 {
		return errors.New("status: a server error from 500 to 599")
	}
	return f.atBank.Validate()
}

func (f *bankError) Text() string {
	acted := "after it has acted"
	if f.Before {
		acted = "without having acted"
	}
	return fmt.Sprintf("the bank answers %s with %d %s", f.text(), f.Status, acted)
}

func (f *bankError) Arm(ctx context.Context, env *Env) (Armed, error) {
	kind := "fail"
	if f.Before {
		kind = "refuse-before"
	}
	b := f.behaviour(kind)
	b.Status = f.Status
	return armBank(ctx, env, b)
}
