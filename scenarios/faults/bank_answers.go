package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// BankAnswers makes the bank give an answer from which nothing can be concluded, whatever it has done.
var BankAnswers = register(Kind{
	Name:    "bank-answers",
	Doc:     "the bank gives an answer from which nothing can be concluded; what was asked for is done, not done, or done later",
	Example: "bank-answers: {with: html-502, deed: later, by: 5s, nth: 1, count: 1}",
	New:     func() Fault { return &bankAnswers{Deed: "done"} },
})

type bankAnswers struct {
	atBank `yaml:",inline"`
	With   string          `yaml:"with"` // html-502, json-500, truncated, empty-200, unknown-code or in-progress-409
	Deed   string          `yaml:"deed"` // done, not, or later
	By     decode.Duration `yaml:"by"`   // how much later, in real life
}

var bankWords = []string{"html-502", "json-500", "truncated", "empty-200", "unknown-code", "in-progress-409"}

func (f *bankAnswers) Validate() error {
	deeds := []string{"done", "not", "later"}
	switch {
	case !slices.Contains(bankWords, f.With):
		return errors.New("with: " + decode.UnknownName("answer of the bank", f.With, bankWords))
	case !slices.Contains(deeds, f.Deed):
		return errors.New("deed: " + decode.UnknownName("way of the bank", f.Deed, deeds))
	case (f.Deed == "later") != (f.By > 0):
		return errors.New("by: goes with deed: later, for example 5s")
	}
	return f.atBank.Validate()
}

// Abilities are that the bank says in words how a payment stands, where its status alone would mean something else to a
// service: a success that is none, or a refusal that is none.
func (f *bankAnswers) Abilities() []string {
	if f.Deed != "done" || f.With == "unknown-code" || f.With == "in-progress-409" {
		return []string{targets.BankStatus}
	}
	return nil
}

func (f *bankAnswers) Text() string {
	deed := map[string]string{"done": "and has done it", "not": "and does not do it"}[f.Deed]
	if f.Deed == "later" {
		deed = fmt.Sprintf("and does it %s later", f.By)
	}
	return fmt.Sprintf("the bank answers %s with %s %s", f.text(), f.With, deed)
}

func (f *bankAnswers) Arm(ctx context.Context, env *Env) (Armed, error) {
	b := f.behaviour("garble")
	b.With, b.Deed, b.Delay = f.With, f.Deed, env.Stack.Scale(time.Duration(f.By))
	return armBank(ctx, env, b)
}
