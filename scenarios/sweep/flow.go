package sweep

import (
	"errors"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// Flow is what is swept: a payment, or what a payment may need besides.
type Flow struct {
	Name  string
	Doc   string
	Setup []string // what goes before it, without a fault
	Calm  string   // lets what goes before come to its end
	Drive string   // the step that is recorded and broken
	Again string   // the same client tries again, under the same key

	Hasty   string // the step with a client who does not try again under its key
	Fresh   string // that client tries under a new one, without waiting; "" where there is no key
	Request string // the message of Drive on the link client
	Copies  string // Drive in two copies at the same instant
	Event   string // the message on the link queue by which the outcome is told
	Topic   string // of that event
	Bank    string // what a repeated trade number gets at the bank; its default where empty
}

// flows are what can be swept. A step says which payment it is about by "of: A".
var flows = []Flow{
	{
		Name: "pay", Doc: "a clean payment",
		Calm: "settle: {}", Drive: "pay: {of: A}", Again: "pay: {of: A, same-key: true}",
		Hasty: "pay: {of: A, retries: {max: 0}}", Fresh: "pay: {of: A}",
		Request: "pay", Copies: "burst: {of: A, copies: 2, keys: same}", Event: "publish",
	},
	{
		Name: "callback", Doc: "a payment that the bank takes on and settles later, by its notification alone",
		Setup: []string{"fault: {bank-accept: {count: 1}, as: taken-on}", "pay: {of: A}", "heal: taken-on"},
		Calm:  "wait: 5s", Drive: "bank-settles: {of: A}", Again: "pay: {of: A, same-key: true}", Event: "publish",
	},
	{
		Name: "refund", Doc: "the refund of a payment",
		Setup: []string{"pay: {of: A}"},
		Calm:  "settle: {}", Drive: "refund: {of: A}", Again: "refund: {of: A}",
		Hasty: "refund: {of: A, retries: {max: 0}}", Fresh: "refund: {of: A, id: r2}",
		Request: "refund", Copies: "refund: {of: A, copies: 2}", Event: "publish",
	},
	{
		Name: "duplicate", Doc: "the repeat of a payment that has succeeded",
		Setup: []string{"pay: {of: A}"},
		Calm:  "settle: {}", Drive: "pay: {of: A, same-key: true}", Again: "pay: {of: A, same-key: true}",
		Hasty: "pay: {of: A, same-key: true, retries: {max: 0}}", Fresh: "pay: {of: A}",
		Request: "pay", Copies: "burst: {of: A, copies: 2, keys: same, same-key: true}",
	},
}

// FlowNames are the names of what can be swept.
func FlowNames() (out []string) {
	for _, f := range flows {
		out = append(out, f.Name)
	}
	return out
}

// FlowNamed is what is swept, at a target and with a bank of a mode.
func FlowNamed(name, bank string, t *targets.Target) (*Flow, error) {
	for _, f := range flows {
		if f.Name == name {
			f.Bank = bank
			if f.Event != "" {
				f.Topic = t.Queue.Topic
			}
			return &f, nil
		}
	}
	return nil, errors.New(decode.UnknownName("flow", name, FlowNames()))
}
