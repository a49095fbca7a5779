package faults

import (
	"fmt"
	"slices"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// atBank is which requests a behaviour of the bank concerns.
type atBank struct {
	On    string       `yaml:"on"`    // debit, query, close, refund or any
	Nth   int          `yaml:"nth"`   // the first that is meant, counted from arming; 1 where not given
	Count decode.Count `yaml:"count"` // how many from there on; all where not given
}

var bankRequests = []string{"debit", "query", "close", "refund", "any"}

// Validate checks what no single field can know.
func (b *atBank) Validate() error { return b.check(bankRequests) }

// check is Validate for a behaviour that only some requests can have.
func (b *atBank) check(requests []string) error {
	if b.On != "" && !slices.Contains(requests, b.On) {
		return fmt.Errorf("on: %s", decode.UnknownName("request of the bank", b.On, requests))
	}
	if b.Nth < 0 {
		return fmt.Errorf("nth: %d is not a position; the first request is 1", b.Nth)
	}
	return nil
}

// Links is the bank's link: without a bank there is nobody to misbehave.
func (b *atBank) Links() []string { return []string{stack.BankLink} }

func (b *atBank) behaviour(kind string) stack.Behaviour {
	on := b.On
	if on == "" {
		on = "debit"
	}
	return stack.Behaviour{Kind: kind, On: on, Nth: max(1, b.Nth), Count: int(b.Count)}
}

func (b *atBank) text() string {
	on := b.On
	if on == "" {
		on = "debit"
	}
	switch {
	case b.Count == 0 && b.Nth <= 1:
		return "every " + on
	case b.Count == 1:
		return fmt.Sprintf("%s number %d", on, max(1, b.Nth))
	case b.Count == 0:
		return fmt.Sprintf("%s number %d and all behind it", on, b.Nth)
	default:
		return fmt.Sprintf("%s number %d to %d", on, max(1, b.Nth), max(1, b.Nth)+int(b.Count)-1)
	}
}
