package checks

import (
	"fmt"
	"maps"
	"slices"

	"onedebit/scenarios/history"
)

// EffectsOnce is I6.
var EffectsOnce = register(Check{
	Name:      "effects-once",
	Invariant: "I6",
	Doc:       "At rest every SUCCESS has brought each benefit exactly once, and nothing else has brought any.",
	Cause: "A consumer grants the benefit and notes the message as done in two steps, acknowledges before it works, or " +
		"does not recognise a message that is delivered again.",
	judge: judgeEffectsOnce,
})

func judgeEffectsOnce(v *view) Result {
	const needs = needRest | needEffects
	if !v.target.Effects {
		return notApplicable("the benefits that this target grants cannot be read")
	}
	if !v.target.Rows {
		return notApplicable(noRows)
	}
	if v.rest == nil {
		return v.judged(nil, needs)
	}
	var findings []Finding
	judged := false
	for _, s := range v.stories {
		if s.shared() {
			continue
		}
		paid := s.paidRows()
		judged = judged || len(s.effects) > 0 || len(paid) > 0 && len(v.target.EffectKinds) > 0
		for _, message := range append(v.wrongEffects(s, len(paid) > 0), v.wrongNotices(s)...) {
			var p proofs
			p.rows(v.restAt, s.rows...)
			for _, e := range s.effects {
				p.add(v.restAt, "%s %s was granted for order %s", e.Kind, e.ID, e.Order)
			}
			findings = append(findings, Finding{s.order, message, p.lines()})
		}
	}
	if res := v.judged(findings, needs); res.Status != Pass || judged {
		return res
	}
	return notApplicable("no payment ended SUCCESS and no benefit was granted")
}

// wrongEffects says, kind by kind, what a payment has too much or too little of. What was given back whole may have lost
// its benefits again.
func (v *view) wrongEffects(s *story, paid bool) []string {
	counts := map[string]int{}
	seen := map[history.Effect]bool{}
	for _, e := range s.effects {
		if e.ID != "" && seen[*e] || slices.Contains(v.target.RefundEffectKinds, e.Kind) {
			continue // the same benefit listed twice, or one of a refund
		}
		seen[*e] = true
		counts[e.Kind]++
	}
	kinds := slices.Clone(v.target.EffectKinds)
	for kind := range counts {
		if !paid && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	due := paid && slices.ContainsFunc(s.paidRows(), func(r *history.Row) bool { return r.State != history.StateRefunded })
	var out []string
	for _, kind := range slices.Compact(kinds) {
		n := counts[kind]
		switch {
		case due && n == 0 && v.sees(needEffects):
			out = append(out, fmt.Sprintf("order %s is SUCCESS and its %s was never granted", s.order, kind))
		case paid && n > 1:
			out = append(out, fmt.Sprintf("order %s is SUCCESS and its %s was granted %d times", s.order, kind, n))
		case !paid && n > 0 && v.sees(needRest):
			out = append(out, fmt.Sprintf("order %s has no SUCCESS row and its %s was granted all the same", s.order, kind))
		}
	}
	return out
}

// wrongNotices says what the refunds of a payment have brought too often, or not, or without a success.
func (v *view) wrongNotices(s *story) []string {
	var out []string
	for _, kind := range v.target.RefundEffectKinds {
		counts := map[string]int{}
		seen := map[history.Effect]bool{}
		for _, e := range s.effects {
			if e.Kind == kind && !seen[*e] {
				seen[*e] = true
				counts[e.ID]++
			}
		}
		due := map[string]bool{}
		for _, r := range s.givings {
			if r.State != history.StateSuccess {
				continue
			}
			due[r.RefundID], due[r.RefundNo], due[r.ID] = true, true, true
			if r.Kind != history.RefundOfSurplus && counts[r.RefundID] == 0 && v.sees(needEffects) {
				out = append(out, fmt.Sprintf("order %s: refund %s is SUCCESS and its %s never came", s.order, r.RefundID, kind))
			}
		}
		for _, id := range slices.Sorted(maps.Keys(counts)) {
			if !due[id] && v.target.Refunds && v.sees(needRest) {
				out = append(out, fmt.Sprintf("order %s: %s came for refund %s, which is not SUCCESS", s.order, kind, id))
			}
		}
	}
	return out
}
