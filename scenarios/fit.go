package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/reports"
	"onedebit/scenarios/checks"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// lacks says what of a target a scenario takes for granted that this one has not, or "". It is for scenarios and targets
// that were not written for each other.
func (o *Options) lacks(s *Scenario) string {
	for _, need := range s.Needed() {
		if why := linkMissing(o.Target, need); why != "" {
			return why
		}
	}
	if !s.borrowed(o.Target) {
		return ""
	}
	for _, missing := range []func(*targets.Target) string{s.outcomeUntold, s.rowsUnseen, s.messagesUnnamed, s.nothingProved, s.currencyUnsaid, s.processesFixed} {
		if why := missing(o.Target); why != "" {
			return why
		}
	}
	return ""
}

// borrowed says whether it is a scenario of the catalogue on a target that it was not written for: one that does not promise
// the outcomes which the catalogue expects.
// In a variant the outcomes are none's promise either: the catalogue expects those of the bank that it names.
func (s *Scenario) borrowed(t *targets.Target) bool {
	return s.File == "" && (!t.Promise.Outcomes || s.variant != Variant{})
}

// outcomeUntold says why no service could come through the scenario on this target: nobody tells it how its payment ended.
func (s *Scenario) outcomeUntold(t *targets.Target) string {
	if s.arrival() != Absent || s.variant.Callbacks != "" || slices.Contains(s.Needed(), stack.CallbackLink) {
		return ""
	}
	return untold(t)
}

// notMet makes a scenario skipped that is inconclusive only because this service never came to where a fault or a step waits:
// the catalogue cannot know the ways of every service. What was broken before stays broken.
func notMet(r *reports.Scenario, h *history.History) {
	if r.Verdict != reports.Inconclusive || r.Error != "" {
		return
	}
	var why []string
	for _, c := range r.Checks {
		switch {
		case c.Verdict != reports.Inconclusive:
		case c.Name == checks.FaultWasFelt.Name || slices.Contains(h.Plan().Proves, c.Name):
			why = append(why, c.Reason)
		default:
			return
		}
	}
	for _, g := range h.Gaps() {
		if g.V.What != history.GapAwaited {
			return
		}
		why = append(why, g.V.Why)
	}
	r.Verdict, r.Reason = reports.Skipped, "this service never came to it: "+strings.Join(why, "; ")
}

// linkMissing says why the service has not a link, or "".
func linkMissing(t *targets.Target, link string) string {
	says := func(there bool, where string) string {
		if there {
			return ""
		}
		return fmt.Sprintf("target %s has no %s: its file says nothing under %s", t.Name, link, where)
	}
	switch link {
	case stack.BankLink:
		return says(len(t.Banks) > 0, "banks")
	case stack.CallbackLink:
		return says(t.Notified(), "callbacks of a bank")
	case stack.CacheLink, stack.QueueLink:
		return says(t.Links[link] != nil, "links."+link)
	case stack.DBLink:
		if t.Database != nil && t.Database.Engine == targets.SQLite {
			return fmt.Sprintf("the database of target %s is a file, and has no link", t.Name)
		}
		return says(t.Database != nil, "database")
	}
	return ""
}

// rowsUnseen says which state of a row is waited for that this target cannot show.
func (s *Scenario) rowsUnseen(t *targets.Target) (why string) {
	workload.Walk(s.Steps, func(step workload.Step) {
		w, ok := step.Action.(workload.Waiter)
		if !ok || why != "" || len(w.Awaits()) == 0 {
			return
		}
		if !slices.ContainsFunc(w.Awaits(), t.Shows) {
			why = fmt.Sprintf("target %s does not show when a payment is %s", t.Name, strings.Join(w.Awaits(), " or "))
		}
	})
	return why
}

// messagesUnnamed says which message has no name in this target. One that only an optional fault is about can be done
// without: the fault then meets nothing.
func (s *Scenario) messagesUnnamed(t *targets.Target) (why string) {
	workload.Walk(s.Steps, func(step workload.Step) {
		i, ok := step.Action.(workload.Injector)
		if !ok || why != "" {
			return
		}
		if o, ok := step.Action.(workload.Optional); ok && o.MayMiss() {
			return
		}
		p, ok := i.Injects().(faults.Placed)
		if !ok {
			return
		}
		link, messages := p.Place()
		known := t.Messages(link)
		if len(messages) > 0 && !slices.ContainsFunc(messages, func(name string) bool { return !word.MatchString(name) || known[name] != nil }) {
			why = fmt.Sprintf("target %s has no message %s on link %s", t.Name, strings.Join(messages, " or "), link)
		}
	})
	return why
}

// nothingProved says why the scenario has nothing to prove here: each of the checks that it is there for is about what this
// target does not promise or cannot show.
func (s *Scenario) nothingProved(t *targets.Target) string {
	if len(s.Proves) == 0 || len(s.provable(t)) > 0 {
		return ""
	}
	return fmt.Sprintf("target %s says nothing by which %s could be told", t.Name, strings.Join(s.Proves, ", "))
}

// provable are the checks that the scenario is there for, as far as the target has something to see for them. A scenario
// that was not written for it proves what comes to be seen.
func (s *Scenario) provable(t *targets.Target) (out []string) {
	if !s.borrowed(t) {
		return s.Proves
	}
	for _, check := range s.Proves {
		if t.Proves(check) {
			out = append(out, check)
		}
	}
	return out
}

// currencyUnsaid says which currency the scenario pays in that this target cannot be told.
func (s *Scenario) currencyUnsaid(t *targets.Target) string {
	used := []string{s.Payment.Currency}
	for _, p := range s.Payments {
		used = append(used, p.Currency)
	}
	slices.Sort(used)
	for _, currency := range used {
		if currency != "" && currency != t.Currency() && !t.SaysCurrency() {
			return fmt.Sprintf("the submit of target %s does not say ${currency}, and %s is not its own", t.Name, currency)
		}
	}
	return ""
}

// processesFixed says why the processes of this target cannot be what the scenario needs.
func (s *Scenario) processesFixed(t *targets.Target) (why string) {
	p := t.TakesPayments()
	switch {
	case s.Instances > 1 && p.Listen.Port > 0:
		return fmt.Sprintf("process %s insists on port %d, and cannot run twice", p.Name, p.Listen.Port)
	case s.Instances > 1 && p.URL != "":
		return fmt.Sprintf("process %s runs already, and cannot be started twice", p.Name)
	case p.URL == "":
		return ""
	}
	workload.Walk(s.Steps, func(step workload.Step) {
		kills := step.Kind == "restart"
		if i, ok := step.Action.(workload.Injector); ok {
			_, kills = i.Injects().(interface{ On() int })
		}
		if kills {
			why = fmt.Sprintf("process %s runs already, and is not the harness's to end", p.Name)
		}
	})
	return why
}

// expect is what must come out for the payment of a label. What a scenario of the catalogue says beyond the invariants
// is the reference's promise, and nobody else's.
func (o *Options) expect(s *Scenario) func(label string) *history.Expect {
	if s.borrowed(o.Target) {
		return func(string) *history.Expect { return nil }
	}
	return s.expect
}
