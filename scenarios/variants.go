package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
)

// Variant is how the bank behaves in a job where that is not as the scenario says. Each way hides faults that another shows:
// a bank that knows a number again forgives a second debit, and a callback that comes repairs what was left lying.
type Variant struct {
	Bank      string // what a number that comes again gets: dedupe, refuse or naive; "" as the scenario has it
	Callbacks string // prompt, late or absent; "" as the scenario has it
}

// How the callbacks of a bank arrive.
const (
	Prompt = "prompt"
	Late   = "late" // when the client and the gateway have long given up
	Absent = "absent"
)

// Own and Every can be asked for in the place of a mode or an arrival: as the scenario has it, and all that there are.
const (
	Own   = "own"
	Every = "all"
)

// Arrivals are how callbacks can arrive.
var Arrivals = []string{Prompt, Late, Absent}

// lateCallback is how long after its answer a bank calls back late, in real life: past the patience of clients and gateways.
const lateCallback = 8 * time.Second

// Vary gives each job in the variants that are asked for: every mode with every arrival of those named. Where neither is
// named, a target of one's own gets what can differ for it, one thing at a time, and the bundled one each scenario as it is;
// so does a scenario of one's own, whose bank is as it was written. What a variant would not change is not made twice.
func Vary(jobs []Job, t *targets.Target, modes, arrivals []string) (out []Job) {
	for _, job := range jobs {
		for _, v := range job.Scenario.variants(t, modes, arrivals) {
			varied := job
			varied.Scenario = job.Scenario.in(v, t)
			out = append(out, varied)
		}
	}
	return out
}

func (s *Scenario) variants(t *targets.Target, modes, arrivals []string) (out []Variant) {
	add := func(v Variant) {
		if v = s.normal(v); s.can(t, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if len(modes) == 0 && len(arrivals) == 0 {
		add(Variant{})
		if t.Dir == "" || s.File != "" {
			return out
		}
		for _, mode := range targets.BankModes {
			add(Variant{Bank: mode})
		}
		for _, arrival := range Arrivals {
			add(Variant{Callbacks: arrival})
		}
		return out
	}
	for _, mode := range named(modes, targets.BankModes) {
		for _, arrival := range named(arrivals, Arrivals) {
			add(Variant{mode, arrival})
		}
	}
	if len(out) == 0 { // what was asked for cannot differ here
		add(Variant{})
	}
	return out
}

// named are the values that were asked for; "" is the scenario's own.
func named(asked, all []string) (out []string) {
	for _, value := range asked {
		switch value {
		case Own:
			out = append(out, "")
		case Every:
			out = append(append(out, ""), all...)
		default:
			out = append(out, value)
		}
	}
	if len(out) == 0 {
		out = []string{""}
	}
	return out
}

// normal is the variant without what the scenario says itself.
func (s *Scenario) normal(v Variant) Variant {
	if v.Bank == s.Bank.Mode {
		v.Bank = ""
	}
	if v.Callbacks == s.arrival() {
		v.Callbacks = ""
	}
	return v
}

// arrival is how callbacks arrive by what the scenario says.
func (s *Scenario) arrival() string {
	if s.Bank.Callbacks != nil && !*s.Bank.Callbacks {
		return Absent
	}
	return Prompt
}

// can says whether a variant is one for this target: whether it changes anything, and is none that a correct service could
// not stand.
func (s *Scenario) can(t *targets.Target, v Variant) bool {
	if v.Bank != "" && (!t.TakesMode(v.Bank) || v.Bank == targets.BankModes[0] && s.Bank.Mode == "" && t.NativeOnly()) {
		return false
	}
	if v.Callbacks == "" {
		return true
	}
	// Where a step sends the callbacks, or a fault is about them, how they come is what the scenario is about.
	return t.Notified() && !slices.Contains(s.Needed(), stack.CallbackLink) && (v.Callbacks != Absent || untold(t) == "")
}

// untold says why a service could not learn what became of a payment without callbacks, or "".
func untold(t *targets.Target) string {
	if t.Notified() && t.Lacks(targets.BankQuery) != "" && t.Lacks(targets.BankStatus) != "" {
		return fmt.Sprintf("without callbacks nobody could tell target %s what became of a payment: its bank cannot be asked, and does not say so in its answers", t.Name)
	}
	return ""
}

// in is the scenario in a variant. It has a name of its own, by which reports tell it from its sisters.
func (s *Scenario) in(v Variant, t *targets.Target) *Scenario {
	out := *s
	out.base, out.variant = cmp.Or(s.base, s.Name), v
	out.flags = v.flags(t)
	if v == (Variant{}) {
		return &out
	}
	out.Bank.Mode = cmp.Or(v.Bank, s.Bank.Mode)
	var label, ways []string
	if v.Bank != "" {
		label, ways = append(label, "bank="+v.Bank), append(ways, map[string]string{
			"dedupe": "the bank answers a repeated number as the first time",
			"refuse": "the bank refuses a repeated number",
			"naive":  "the bank debits a repeated number again",
		}[v.Bank])
	}
	if v.Callbacks != "" {
		label, ways = append(label, "callbacks="+v.Callbacks), append(ways, map[string]string{
			Prompt: "callbacks come soon", Late: "callbacks come late", Absent: "no callbacks come",
		}[v.Callbacks])
	}
	out.Name += " [" + strings.Join(label, ", ") + "]"
	out.Title += " (" + strings.Join(ways, ", ") + ")"
	return &out
}

// flags are those by which this very variant is carried out again. Where none other could be meant there are none.
func (v Variant) flags(t *targets.Target) (out string) {
	if t.Dir == "" && v == (Variant{}) {
		return ""
	}
	if v.Bank != "" || t.Dir != "" && slices.ContainsFunc(targets.BankModes, t.TakesMode) {
		out += " --bank " + cmp.Or(v.Bank, Own)
	}
	if v.Callbacks != "" || t.Dir != "" && t.Notified() {
		out += " --callbacks " + cmp.Or(v.Callbacks, Own)
	}
	return out
}

// arrive makes callbacks come as the variant says, once clean payments have gone through: a service that waits for them
// could not make one otherwise.
func (x *experiment) arrive(ctx context.Context) error {
	if !x.Scenario.arrivesLater(x.target) {
		return nil
	}
	arrival := cmp.Or(x.Scenario.variant.Callbacks, x.Scenario.arrival())
	after := x.stack.Scale(min(lateCallback, time.Duration(x.target.Settle.Within)/2))
	on := arrival != Absent
	set := stack.Settings{AutoCallbacks: &on}
	if arrival == Late {
		set.CallbackDelay = after
	}
	if err := x.stack.Bank.Set(ctx, set); err != nil {
		return fmt.Errorf("telling the bank how its callbacks arrive: %w", err)
	}
	return nil
}

// arrivesLater says whether the bank is told only after the clean payments how callbacks arrive.
func (s *Scenario) arrivesLater(t *targets.Target) bool {
	return t.Notified() && (s.variant.Callbacks != "" || s.borrowed(t) && s.arrival() == Absent)
}
