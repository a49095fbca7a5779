package targets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"onedebit/fakebank/dialects"
)

// Abilities are what a scenario may need of the service beyond a payment: a request that its target file may or may not
// describe, or a clock that can be moved.
var Abilities = []string{Appealing, BankPending, BankQuery, BankStatus, Clock, Closing, Comparing, KeyHeader, Notices, Ordered, Querying, Refunding}

// The abilities by name.
const (
	Appealing   = "appeal"
	BankPending = "bank-pending" // the bank can say that it has not decided yet
	BankQuery   = "bank-query"   // the bank can be asked about a payment
	BankStatus  = "bank-status"  // the bank says in its answers how a payment stands
	Clock       = "clock"
	Closing     = "close-order"
	Comparing   = "refuses-other-body" // a key that comes back with another payment is refused
	KeyHeader   = "key-header"         // the key travels in a header, which can be left out
	Notices     = "callbacks"          // it takes only notifications that are authentic, fresh and fitting
	Ordered     = "order"              // the submit says what is paid, so that a new key does not make it another payment
	Querying    = "query"
	Refunding   = "refund"
)

// Door is the ability to take a payment through an entry point other than the usual one, and Caller that to be called by
// somebody else than the usual merchant.
func Door(name string) string   { return "door " + name }
func Caller(name string) string { return "caller " + name }

// Known says whether a name is an ability of a target.
func Known(ability string) bool {
	what, name, named := strings.Cut(ability, " ")
	return slices.Contains(Abilities, ability) || named && name != "" && (what == "door" || what == "caller")
}

// Lacks says why the target has not the ability, or "".
func (t *Target) Lacks(ability string) string {
	what, name, _ := strings.Cut(ability, " ")
	missing := func(there bool, where string) string {
		if there {
			return ""
		}
		return fmt.Sprintf("target %s says nothing under %s", t.Name, where)
	}
	if why, asked := t.lacksOfBank(what); asked {
		return why
	}
	switch what {
	case Comparing:
		return missing(t.Promise.RefusesOtherBody, "promises.refuses-other-body")
	case KeyHeader:
		return missing(t.KeyHeader() != "", "payment.each about a header that carries ${key}")
	case Notices:
		return missing(t.Promise.Callbacks, "promises.callbacks")
	case Ordered:
		if !t.namesOrder() {
			return fmt.Sprintf("the submit of target %s does not say ${order}: under a new key it is another payment", t.Name)
		}
	case "door":
		return missing(t.Payment.Doors[name] != nil, "payment.doors."+name+named(t.Payment.Doors))
	case "caller":
		return missing(t.Callers[name] != nil, "callers."+name+named(t.Callers))
	case Appealing:
		return missing(t.Payment.Appeal != nil, "payment.appeal")
	case Clock:
		return missing(t.clock(), "processes.NAME.clock")
	case Closing:
		return missing(t.Payment.Close != nil, "payment.close")
	case Querying:
		return missing(t.Payment.Query != nil, "payment.query")
	case Refunding:
		return missing(t.Refund.Submit != nil, "refund.submit")
	}
	return ""
}

// lacksOfBank is Lacks for what a bank has to offer.
func (t *Target) lacksOfBank(ability string) (why string, asked bool) {
	able := map[string]func(*dialects.Dialect) bool{
		BankPending: (*dialects.Dialect).TellsPending, BankQuery: (*dialects.Dialect).Answers, BankStatus: (*dialects.Dialect).TellsStatus,
	}[ability]
	if able == nil {
		return "", false
	}
	for _, name := range t.BankNames() {
		if !able(&t.Banks[name].Dialect) {
			return fmt.Sprintf("bank %s of target %s has not %s", name, t.Name, map[string]string{
				BankPending: "an answer that says that it has not decided yet", BankQuery: "a call that asks about a payment",
				BankStatus: "answers that say how a payment stands",
			}[ability]), true
		}
	}
	return "", true
}

// namesOrder says whether a submit names what is paid: the order, or something that was made for it. Where there is no key
// either, a submit is what it is: the same again is the same payment.
func (t *Target) namesOrder() bool {
	submit := t.Payment.Submit()
	if submit == nil {
		return false
	}
	names := submit.names()
	return !slices.Contains(names, "key") || slices.ContainsFunc(names, func(n string) bool {
		return n == "order" || strings.HasPrefix(n, "each.")
	})
}

// named lists what there is in place of something that is not there.
func named[T any](m map[string]T) string {
	if len(m) == 0 {
		return ""
	}
	return "; there is " + strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// VarsOf are the constants for a caller; "" is the usual one.
func (t *Target) VarsOf(caller string) map[string]string {
	out := maps.Clone(t.Vars)
	maps.Copy(out, t.Callers[caller])
	return out
}

// clock says whether the clock of the service can be moved.
func (t *Target) clock() bool {
	p := t.TakesPayments()
	return p != nil && p.Clock != ""
}
