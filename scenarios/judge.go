package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"onedebit/reports"
	"onedebit/scenarios/checks"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Judge judges a history and fills the verdict into a result. Everything comes from the history alone.
func Judge(r *reports.Scenario, h *history.History) {
	plan := h.Plan()
	r.Verdict = reports.Pass
	r.Faults, r.Burst = faultsOf(h), burstOf(h)
	r.Payments = 0
	for _, p := range h.Payments() {
		if !p.V.Probe {
			r.Payments++
		}
	}
	r.Checks = r.Checks[:0]
	results := checks.RunAll(h)
	for i, c := range checks.All() {
		res := results[i]
		out := reports.Check{Name: c.Name, Invariant: c.Invariant, Verdict: verdict(res.Status), Reason: res.Reason, Cause: c.Cause, Findings: []reports.Finding{}}
		if res.Status == checks.NotApplicable && slices.Contains(plan.Proves, c.Name) {
			out.Verdict = reports.Inconclusive
			out.Reason = "the scenario is there to prove this, and there was nothing to see: " + res.Reason
		}
		for _, f := range res.Findings {
			out.Findings = append(out.Findings, reports.Finding{Payment: f.Order, Message: f.Message, Evidence: append([]string{}, f.Evidence...)})
		}
		r.Checks = append(r.Checks, out)
		if out.Verdict != reports.Skipped {
			r.Verdict = reports.Worst(r.Verdict, out.Verdict)
		}
	}
	r.Reason = reason(r)
	if !driven(h) {
		r.Verdict, r.Reason = reports.Inconclusive, "the experiment ended before its first step: nothing can be said about the service"
	}
	if r.Payments == 0 && r.Verdict == reports.Pass {
		r.Verdict, r.Reason = reports.Inconclusive, "no payment was made: nothing was seen of the service"
	}
	troubled(r, h.Gaps())
	if plan.Borrowed && driven(h) {
		notMet(r, h)
	}
	r.Orders = evidence(r, h)
	r.Retold = example(r, h)
	r.States = states(h)
	r.Outcome = outcome(h)
	rename(r, h)
}

// troubled lets a result say what trouble the experiment had, and what it waited for in vain. What was found stands, and
// either makes the rest inconclusive.
func troubled(r *reports.Scenario, gaps []history.At[history.Gap]) {
	for _, g := range gaps {
		switch g.V.What {
		case history.GapAwaited:
			if r.Verdict != reports.Fail {
				r.Verdict, r.Reason = reports.Inconclusive, strings.TrimPrefix(r.Reason+"; "+g.V.Why, "; ")
			}
		case history.GapInterrupted:
			r.Error = "interrupted"
		case history.GapTrouble:
			r.Error = g.V.Why
		case history.GapEnvironment:
			r.Error, r.Environment = g.V.Why, true
		}
	}
	if r.Error != "" && r.Verdict != reports.Fail {
		r.Verdict, r.Reason = reports.Inconclusive, r.Error
	}
}

// driven says whether an experiment came to its steps. What was seen before them is about the surroundings: a service
// that cannot take a clean payment cannot be judged.
func driven(h *history.History) bool {
	return slices.ContainsFunc(h.Phases(), func(p history.At[history.Phase]) bool { return p.V.Name == history.PhaseDrive })
}

func verdict(s checks.Status) reports.Verdict {
	switch s {
	case checks.Pass:
		return reports.Pass
	case checks.Fail:
		return reports.Fail
	case checks.NotApplicable:
		return reports.Skipped
	default:
		return reports.Inconclusive
	}
}

// reason says in a sentence why a scenario is not a pass: the first finding, or what could not be told.
func reason(r *reports.Scenario) string {
	var unclear []string
	byWeight := slices.Clone(r.Checks)
	slices.SortStableFunc(byWeight, func(a, b reports.Check) int { return weight(a) - weight(b) })
	for _, c := range byWeight {
		if c.Verdict == reports.Fail && r.Verdict == reports.Fail && len(c.Findings) > 0 {
			return fmt.Sprintf("%s (%s)", c.Findings[0].Message, c.Name)
		}
		if c.Verdict == reports.Inconclusive && !slices.Contains(unclear, c.Reason) {
			unclear = append(unclear, c.Reason)
		}
	}
	return strings.Join(unclear, "; ")
}

// weight orders checks as a reader would: the invariants by their number, and behind them what is only expected.
func weight(c reports.Check) int {
	if n, err := strconv.Atoi(strings.TrimPrefix(c.Invariant, "I")); err == nil {
		return n
	}
	return math.MaxInt
}

// judge judges an experiment whose history may not have been saved.
func (o *Options) judge(r *reports.Scenario, h *history.History) {
	saving := r.Reason
	Judge(r, h)
	if saving == "" || r.Error == "interrupted" {
		return
	}
	r.Error, r.Environment = strings.TrimPrefix(r.Error+"\n"+saving, "\n"), true
	if r.Verdict != reports.Fail {
		r.Verdict, r.Reason = reports.Inconclusive, r.Error
	}
}

// clean counts the clean payments that were right when the first fault was put in force.
func clean(h *history.History) (n int) {
	if !driven(h) {
		return 0
	}
	for _, p := range h.Payments() {
		if p.V.Probe {
			n++
		}
	}
	return n
}

func faultsOf(h *history.History) []reports.Fault {
	out := []reports.Fault{}
	at := map[string]int{}
	for _, f := range h.Faults() {
		i, known := at[f.V.Name]
		if !known {
			i = len(out)
			at[f.V.Name] = i
			out = append(out, reports.Fault{Name: f.V.Name, Kind: f.V.Kind, Text: f.V.Text, Optional: f.V.Optional})
		}
		switch f.V.State {
		case history.Armed:
			out[i].Armed++
			out[i].Spans = append(out[i].Spans, reports.Span{FromMS: ms(f.Time), ToMS: ms(ended(h))})
		case history.Healed:
			if n := len(out[i].Spans); n > 0 {
				out[i].Spans[n-1].ToMS = ms(f.Time)
			}
			out[i].Fired += f.V.Fired
			out[i].Loss = lossOf(out[i].Loss, f.V.Loss)
		}
	}
	return out
}

// lossOf adds the packets lost in one life of a fault to those of the lives before.
func lossOf(before *reports.Loss, l *history.Loss) *reports.Loss {
	switch {
	case l == nil:
		return before
	case before == nil:
		return &reports.Loss{Asked: l.Asked, Seen: l.Seen, Lost: l.Lost}
	}
	return &reports.Loss{Asked: l.Asked, Seen: before.Seen + l.Seen, Lost: before.Lost + l.Lost}
}

// burstOf is the widest burst of the experiment.
func burstOf(h *history.History) *reports.Burst {
	var out *reports.Burst
	for _, b := range h.Bursts() {
		if us := b.V.Spread.Microseconds(); out == nil || us > out.SpreadUS {
			out = &reports.Burst{Copies: b.V.Copies, SpreadUS: us}
		}
	}
	return out
}

// moved counts what moved in one experiment and by how much bank and service disagree at rest. Where either was not read,
// or everything was still on its way, there is nothing to compare.
func moved(h *history.History) reports.Money {
	m := reports.Money{TakenTwice: map[string]int64{}, Created: map[string]int64{}, Destroyed: map[string]int64{}}
	rest, ok := h.AtRest()
	blind := slices.ContainsFunc(h.Gaps(), func(g history.At[history.Gap]) bool { return g.V.What != history.GapAwaited })
	if !ok || !driven(h) || blind {
		return reports.Money{}
	}
	rows, others := map[string][]history.Row{}, h.Namesakes()
	for _, row := range rest.Rows {
		if others[history.Owner{Order: row.Order, Merchant: row.Merchant}] {
			continue
		}
		if row.State == history.StateSuccess || row.State == history.StatePartlyRefunded {
			rows[row.Order] = append(rows[row.Order], row)
		}
	}
	held := standing(h)
	for _, p := range h.Payments() {
		debits, paid := held[p.V.Order], rows[p.V.Order]
		if !p.V.Probe { // what the scenario is about is counted; what went wrong with a clean payment is told all the same
			m.Payments, m.Debits, m.SuccessRows = m.Payments+1, m.Debits+len(debits), m.SuccessRows+len(paid)
		}
		for _, twice := range debits[min(1, len(debits)):] {
			m.TakenTwice[p.V.Currency] += twice
		}
		if len(debits) == 0 && len(paid) > 0 {
			m.Created[p.V.Currency] += paid[0].Amount
		}
		if len(debits) > 0 && len(paid) == 0 {
			m.Destroyed[p.V.Currency] += debits[0]
		}
	}
	return m
}

// standing are the debits of each order that the bank still holds money of, with what was given back taken off.
func standing(h *history.History) map[string][]int64 {
	type debit struct {
		tradeNo string
		left    int64
	}
	others := h.Namesakes()
	all := map[string][]*debit{}
	for _, l := range h.Ledger() {
		switch {
		case l.V.Kind == history.LedgerDebit && others[history.Owner{Order: l.V.Order, Merchant: l.V.Merchant}]:
		case l.V.Kind == history.LedgerDebit:
			all[l.V.Order] = append(all[l.V.Order], &debit{l.V.TradeNo, l.V.Amount})
		case l.V.Kind == history.LedgerReversal, l.V.Kind == history.LedgerRefund:
			rest := l.V.Amount
			for _, d := range slices.Backward(all[l.V.Order]) {
				if d.tradeNo == l.V.TradeNo {
					part := min(rest, d.left)
					d.left, rest = d.left-part, rest-part
				}
			}
		}
	}
	held := map[string][]int64{}
	for order, list := range all {
		for _, d := range list {
			if d.left > 0 {
				held[order] = append(held[order], d.left)
			}
		}
	}
	return held
}

// notCovered says what a run says nothing about.
func (o *Options) notCovered(doc *reports.Document) []string {
	var out []string
	if !slices.Contains(o.Runtime.Links(o.Servers), stack.DBLink) {
		out = append(out, "faults between service and database: the database is a file; --db with the URL of a server opens this link")
	}
	if n := len(o.Jobs); len(doc.Scenarios) < n {
		out = append(out, fmt.Sprintf("%d of %d experiments were not begun", n-len(doc.Scenarios), n))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
