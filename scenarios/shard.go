package scenarios

import (
	"cmp"
	"slices"
	"time"

	"onedebit/reports"
)

// unit is what is never divided between two parts of a run: one trial of a scenario, with every mutant that is tried on it,
// since a kill is worth something only beside the control.
type unit struct {
	scenario string
	trial    int
}

// Shard chooses the jobs of part index, from 1, of so many parts. All parts together hold every job once. The parts are chosen
// so that each takes about as long by the durations of an earlier result; a scenario that it does not know counts as the median,
// and without an earlier result all count alike. The same jobs and the same result make the same parts wherever they are made.
func Shard(jobs []Job, index, parts int, earlier *reports.Document) []Job {
	took := durations(earlier)
	var order []unit
	cost := map[unit]time.Duration{}
	for _, j := range jobs {
		u := unit{j.Scenario.Name, j.Trial}
		if _, known := cost[u]; !known {
			order = append(order, u)
		}
		cost[u] += took(j)
	}
	slices.SortStableFunc(order, func(a, b unit) int { return cmp.Compare(cost[b], cost[a]) })
	loads := make([]time.Duration, parts)
	at := map[unit]int{}
	for _, u := range order {
		least := 0
		for i, load := range loads {
			if load < loads[least] {
				least = i
			}
		}
		at[u] = least
		loads[least] += cost[u]
	}
	var out []Job
	for _, j := range jobs {
		if at[unit{j.Scenario.Name, j.Trial}] == index-1 {
			out = append(out, j)
		}
	}
	return out
}

// durations tells how long a job took in an earlier run, on average over its trials.
func durations(earlier *reports.Document) func(Job) time.Duration {
	type key struct{ scenario, mutant string }
	sums, counts := map[key]time.Duration{}, map[key]time.Duration{}
	if earlier != nil {
		for _, s := range earlier.Scenarios {
			if s.Verdict != reports.Skipped {
				k := key{s.Name, s.Mutant}
				sums[k] += time.Duration(s.DurationMS) * time.Millisecond
				counts[k]++
			}
		}
	}
	var all []time.Duration
	for k, n := range counts {
		sums[k] /= n
		all = append(all, sums[k])
	}
	slices.Sort(all)
	usual := time.Second
	if len(all) > 0 {
		usual = max(all[len(all)/2], time.Millisecond)
	}
	return func(j Job) time.Duration {
		for _, k := range []key{{j.Scenario.Name, j.Mutant}, {j.Scenario.Name, ""}} {
			if d, known := sums[k]; known {
				return max(d, time.Millisecond)
			}
		}
		return usual
	}
}
