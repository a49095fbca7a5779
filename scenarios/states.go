package scenarios

import (
	"maps"
	"time"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// maxMoments bounds how often a result says how many payments were in which state.
const maxMoments = 40

// states says how many payments of the scenario were in which state, each time that changed. Where it changed more often than
// a reader can follow, moments in the middle are left out evenly; the last, at rest, always stays.
func states(h *history.History) []reports.Moment {
	ours := map[string]bool{}
	for _, p := range h.Payments() {
		ours[p.V.Order] = !p.V.Probe
	}
	var out []reports.Moment
	last := map[string]int{}
	for _, r := range h.Readings() {
		now := map[string]int{}
		for _, row := range r.V.Rows {
			if ours[row.Order] {
				now[row.State]++
			}
		}
		if !maps.Equal(now, last) {
			out = append(out, reports.Moment{AtMS: ms(r.Time), States: now})
			last = now
		}
	}
	return thinned(out, maxMoments)
}

// thinned keeps at most n of a list, spread evenly, with its first and its last.
func thinned[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*(len(list)-1)/(n-1)]
	}
	return out
}

// ended is when an experiment was over: the last that a fault can have reached.
func ended(h *history.History) time.Duration {
	if n := len(h.Events); n > 0 {
		return h.Events[n-1].At
	}
	return 0
}

// example is the payment that a result retells where no finding names one: the first that the scenario is about. Trials after
// the first would tell the same.
func example(r *reports.Scenario, h *history.History) []reports.Order {
	if len(r.Orders) > 0 || r.Trial > 1 {
		return nil
	}
	for _, p := range h.Payments() {
		if !p.V.Probe {
			return []reports.Order{Retell(h, p.V.Order)}
		}
	}
	return nil
}
