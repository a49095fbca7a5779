// Package sweep enumerates the places where one payment can break, and writes an experiment for each.
//
// A clean payment is recorded at the proxies, twice, beside a stretch in which nothing is asked of the service. What both
// payments have in common and the idle stretch has not is the payment's sequence of messages. Each message is a point;
// each kind of fault that fits a point makes one experiment, which is a scenario like any other: it can be printed, kept
// in a file and carried out by itself.
package sweep

import (
	"fmt"
	"slices"

	"onedebit/scenarios/registry"
	"onedebit/scenarios/stack"
)

// Kind is one kind of fault that a sweep places at points.
type Kind struct {
	Name   string
	Doc    string
	Weight int // where it stands among the others when there is not time for all: the most telling has the least
	// Write writes the kind down for a point of a flow, the fault under the name given. Where it does not fit there, why
	// says so.
	Write func(p Point, f *Flow, name string) (s Script, why string)
}

// Script is a kind at a point, in steps of a scenario.
type Script struct {
	Arm   []string // before the payment
	Drive string   // in place of the flow's own step
	Then  []string // while the payment is under way
	Late  bool     // what is in Then waits until the payment's step has ended
}

var kinds = registry.New("kind of a sweep", func(k *Kind) string { return k.Name })

func register(k Kind) *Kind { return kinds.Add(k, k.Doc != "" && k.Write != nil) }

// Kinds are the kinds, the most telling first.
func Kinds() []*Kind {
	out := kinds.All()
	slices.SortStableFunc(out, func(a, b *Kind) int { return a.Weight - b.Weight })
	return out
}

// placed is a fault at a point with further parameters, as a step.
func placed(fault string, p Point, name, more string) string {
	return fmt.Sprintf("fault: {%s: {%s%s}, as: %s}", fault, p.at(), more, name)
}

// lost loses the message of a point: on its way there, or as the answer of one who has acted.
func lost(p Point, name, how string) (Script, string) {
	return Script{Arm: []string{placed("lost-"+p.Dir, p, name, ", how: "+how)}, Then: []string{"heal: " + name}}, ""
}

// killed ends the service when the message of a point passes; the healing starts it again.
func killed(p Point, name, when string) (Script, string) {
	more := fmt.Sprintf(", part: %s, when: %s", p.Dir, when)
	return Script{Arm: []string{placed("kill", p, name, more)}, Then: []string{"heal: " + name}}, ""
}

// links are the links in the order in which a payment meets them.
var links = []string{stack.ClientLink, stack.CacheLink, stack.DBLink, stack.BankLink, stack.CallbackLink, stack.QueueLink}

// telling are the links in the order in which faults on them tell most about money.
var telling = []string{stack.BankLink, stack.QueueLink, stack.CallbackLink, stack.ClientLink, stack.DBLink, stack.CacheLink}
