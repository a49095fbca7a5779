package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onedebit/scenarios/history"
)

// outcome is what came out of an experiment for each of its payments, a line each: rows, money, benefits and alarms at rest,
// without times and without numbers that are made by chance. Two experiments of one scenario with equal outcomes differ in
// nothing that the books or the bank show.
func outcome(h *history.History) []string {
	rest, ok := h.AtRest()
	if !ok {
		return nil
	}
	parts := map[string][]string{}
	add := func(order, format string, args ...any) {
		parts[order] = append(parts[order], fmt.Sprintf(format, args...))
	}
	for _, r := range rest.Rows {
		add(r.Order, "row %s %d %s", r.State, r.Amount, r.Currency)
	}
	for _, r := range rest.Refunds {
		add(r.Order, "refund %s %d %s", strings.TrimSpace(r.Kind+" "+r.State), r.Amount, r.Currency)
	}
	for _, r := range rest.Surplus {
		add(r.Order, "surplus %s %d", r.State, r.Amount)
	}
	for _, e := range rest.Effects {
		add(e.Order, "granted %s", e.Kind)
	}
	for _, e := range rest.Events {
		add(e.Order, "event %s", e.Type)
	}
	for _, a := range rest.Alarms {
		add(a.Order, "alarm %s", a.Kind)
	}
	for _, l := range h.Ledger() {
		switch l.V.Kind {
		case history.LedgerDebit, history.LedgerReversal, history.LedgerRefund, history.LedgerDecline, history.LedgerClose:
			add(l.V.Order, "bank %s %d %s", l.V.Kind, l.V.Amount, l.V.Currency)
		}
	}
	var out []string
	for i, p := range h.Payments() {
		if !p.V.Probe {
			out = append(out, fmt.Sprintf("%s: %s", cmp.Or(p.V.Label, fmt.Sprint(i+1)), tallied(parts[p.V.Order])))
		}
	}
	return out
}

// tallied joins words, each once, with how often it is there.
func tallied(words []string) string {
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	var out []string
	for _, w := range slices.Sorted(maps.Keys(counts)) {
		if counts[w] > 1 {
			w += fmt.Sprintf(" ×%d", counts[w])
		}
		out = append(out, w)
	}
	return strings.Join(out, ", ")
}
