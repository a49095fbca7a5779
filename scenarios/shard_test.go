package scenarios

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reports"
)

func shardJobs(n int) (out []Job) {
	var list []*Scenario
	for i := range n {
		list = append(list, &Scenario{Name: fmt.Sprintf("s%02d", i)})
	}
	for _, mutant := range []string{"", "m"} {
		out = append(out, Plan(list, 2, mutant)...)
	}
	return out
}

func TestShardsHoldEveryJobOnceAndTheControlBesideItsMutant(t *testing.T) {
	jobs := shardJobs(11)
	for _, parts := range []int{1, 2, 4, 7, 22, 30} {
		at := map[Job]int{}
		total := 0
		for i := range parts {
			part := Shard(jobs, i+1, parts, nil)
			assert.Equal(t, part, Shard(jobs, i+1, parts, nil), "the same part again")
			total += len(part)
			for _, j := range part {
				at[j] = i
			}
		}
		assert.Len(t, at, len(jobs))
		assert.Equal(t, len(jobs), total)
		for _, j := range jobs {
			control := j
			control.Mutant = ""
			assert.Equal(t, at[control], at[j], "%s in %d parts", j, parts)
		}
	}
}

func TestShardsTakeAboutAsLongAsEachOther(t *testing.T) {
	earlier := &reports.Document{}
	cost := map[string]time.Duration{}
	for i := range 30 {
		name := fmt.Sprintf("s%02d", i)
		ms := int64(100)
		if i < 3 {
			ms = 2000 // three long ones, which follow each other
		}
		cost[name] = time.Duration(ms) * time.Millisecond
		earlier.Scenarios = append(earlier.Scenarios, reports.Scenario{Name: name, Verdict: reports.Pass, DurationMS: ms})
	}
	earlier.Scenarios = append(earlier.Scenarios, reports.Scenario{Name: "s05", Verdict: reports.Skipped, DurationMS: 1e9})
	var list []*Scenario
	for i := range 30 {
		list = append(list, &Scenario{Name: fmt.Sprintf("s%02d", i)})
	}
	var loads []time.Duration
	for i := range 3 {
		load := time.Duration(0)
		for _, j := range Shard(Plan(list, 1, ""), i+1, 3, earlier) {
			load += cost[j.Scenario.Name]
		}
		loads = append(loads, load)
	}
	assert.Equal(t, []time.Duration{2900 * time.Millisecond, 2900 * time.Millisecond, 2900 * time.Millisecond}, loads)
}

func TestAScenarioThatNobodyHasTimedCountsAsTheMedian(t *testing.T) {
	earlier := &reports.Document{Scenarios: []reports.Scenario{
		{Name: "a", Verdict: reports.Pass, DurationMS: 10}, {Name: "b", Verdict: reports.Pass, DurationMS: 20}, {Name: "c", Verdict: reports.Pass, DurationMS: 9000},
	}}
	took := durations(earlier)
	assert.Equal(t, 20*time.Millisecond, took(Job{Scenario: &Scenario{Name: "new"}}))
	assert.Equal(t, 9*time.Second, took(Job{Scenario: &Scenario{Name: "c"}, Mutant: "never-timed"}))
	assert.Equal(t, time.Second, durations(nil)(Job{Scenario: &Scenario{Name: "a"}}))
}
