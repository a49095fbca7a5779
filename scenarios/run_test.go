package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

const onePayment = `
name: clean
title: One payment, nothing in its way
payment: {amount: 500, channel: WECHAT}
steps:
  - pay: {}
expect: {status: SUCCESS, debits: 1}
`

func TestRunPasses(t *testing.T) {
	w := &watcher{}
	o := rig(t, known(t, "bank-reset-after"))
	o.Progress, o.Again = w, " --plain"
	doc := carry(t, t.Context(), o)

	require.Len(t, doc.Scenarios, 1)
	r := doc.Scenarios[0]
	require.Equal(t, reports.Pass, r.Verdict, "%s %s %v", r.Reason, r.Error, failed(r))
	assert.Equal(t, reports.Pass, doc.Verdict)
	assert.Equal(t, reports.Summary{Pass: 1}, doc.Summary)
	assert.Empty(t, r.Reason)
	assert.Empty(t, r.Error)
	assert.Empty(t, r.Orders, "a pass needs no evidence")
	assert.Equal(t, 1, r.Payments, "the clean payment before the fault is not counted")
	assert.Equal(t, "onedebit run bank-reset-after --seed 4711 --plain", r.Reproduce)
	require.Len(t, r.Faults, 1)
	assert.Equal(t, "reset", r.Faults[0].Name)
	assert.Equal(t, 1, r.Faults[0].Armed)
	assert.Positive(t, r.Faults[0].Fired)
	assert.Equal(t, reports.Pass, check(t, r, "one-debit").Verdict)
	assert.Equal(t, reports.Money{Payments: 1, Debits: 1, SuccessRows: 1}, doc.Money, "nothing was taken twice, made up or lost; clean ones are not counted")
	assert.GreaterOrEqual(t, doc.Clean, 1, "more than one on a busy machine")
	assert.Equal(t, []string{"bank/bank-reset-after"}, w.begun)
	assert.Equal(t, w.begun, w.ended)

	h := load(t, o, r)
	var phases []string
	for _, p := range h.Phases() {
		phases = append(phases, p.V.Name)
	}
	assert.Equal(t, []string{
		history.PhaseUp, history.PhaseProbe, history.PhaseDrive, history.PhaseHeal, history.PhaseSettle, history.PhaseObserve,
	}, phases)
	settled, ok := h.Settled()
	assert.True(t, ok && settled.OK)
	assert.Empty(t, h.Gaps())
	plan := h.Plan()
	assert.Equal(t, uint64(testSeed), plan.Seed)
	assert.Equal(t, 1, plan.Trial)
	assert.Equal(t, "embedded", plan.Runtime)
}

// The same verdict, evidence included, comes from the file alone.
func TestJudgeAgainFromDisk(t *testing.T) {
	doubled := Job{Scenario: known(t, "bank-answer-lost"), Trial: 1, Mutant: "trade-no-per-try"}
	never := Job{Scenario: written(t, neverFires), Trial: 1}
	o := rig(t)
	o.Jobs = []Job{doubled, never, {Scenario: written(t, onePayment), Trial: 1}}
	doc := carry(t, t.Context(), o)
	require.Len(t, doc.Scenarios, 3)
	for i, want := range []reports.Verdict{reports.Fail, reports.Inconclusive, reports.Pass} {
		r := doc.Scenarios[i]
		require.Equal(t, want, r.Verdict, "%s: %s %s", r.Name, r.Reason, r.Error)
		again := r
		again.Verdict, again.Reason, again.Checks, again.Faults, again.Orders, again.Burst, again.Payments = "", "", nil, nil, nil, nil, 0
		Judge(&again, load(t, o, r))
		assert.Equal(t, r, again, r.Name)
	}
	assert.Equal(t, reports.Fail, doc.Verdict, "the worst wins")
	assert.Equal(t, reports.Summary{Pass: 1, Fail: 1, Inconclusive: 1}, doc.Summary)
	assert.Equal(t, "onedebit run bank-answer-lost --mutant trade-no-per-try --seed 4711", doc.Scenarios[0].Reproduce)
	assert.Equal(t, "history/bank-answer-lost.trade-no-per-try.jsonl", doc.Scenarios[0].History)
	assert.Positive(t, doc.Money.TakenTwice["CNY"])
}

const neverFires = `
name: never-fires
title: A fault waits for a message that nobody sends
payment: {amount: 500, channel: WECHAT}
steps:
  - fault: {lost-answer: {link: bank, message: close}, as: never}
  - pay: {}
expect: {status: SUCCESS, debits: 1}
`

func TestFaultThatNeverFires(t *testing.T) {
	optional := written(t, `
name: never-fires-and-may
title: A fault waits for a message that nobody sends, and that is all right
payment: {amount: 500, channel: WECHAT}
steps:
  - fault: {lost-answer: {link: bank, message: close}, as: never, optional: true}
  - pay: {}
`)
	proving := written(t, `
name: proves-nothing
title: Said to prove what it never brings about
proves: [key-conflict-refused]
payment: {amount: 500, channel: WECHAT}
steps:
  - pay: {}
`)
	doc := carry(t, t.Context(), rig(t, written(t, neverFires), optional, proving))
	require.Len(t, doc.Scenarios, 3)
	never, may, empty := doc.Scenarios[0], doc.Scenarios[1], doc.Scenarios[2]
	require.Len(t, never.Faults, 1, never.Error)

	assert.Equal(t, reports.Inconclusive, never.Verdict, never.Reason)
	assert.Equal(t, reports.Inconclusive, check(t, never, "fault-was-felt").Verdict)
	assert.Contains(t, never.Reason, "never")
	assert.Empty(t, never.Error, "nothing went wrong; it just proves nothing")
	assert.Equal(t, 0, never.Faults[0].Fired)

	assert.Equal(t, reports.Pass, may.Verdict, may.Reason)

	assert.Equal(t, reports.Inconclusive, empty.Verdict)
	assert.Contains(t, empty.Reason, "there to prove this")
}

func TestTrialsHaveSeedsOfTheirOwn(t *testing.T) {
	assert.Equal(t, uint64(7), trialSeed(7, 1), "the first has the run's own")
	seen := map[uint64]bool{7: true}
	for trial := 2; trial < 1000; trial++ {
		s := trialSeed(7, trial)
		assert.False(t, seen[s], "trial %d repeats a seed", trial)
		assert.Less(t, s, uint64(1_000_000_000), "short enough to be typed")
		assert.Equal(t, s, trialSeed(7, trial))
		seen[s] = true
	}
	assert.NotEqual(t, trialSeed(7, 2), trialSeed(8, 2))
}

func TestTrials(t *testing.T) {
	o := rig(t)
	o.Jobs = append(Plan([]*Scenario{written(t, onePayment)}, 2, ""), Plan([]*Scenario{known(t, "twin-notifications")}, 2, "dedup-by-message-id")...)
	doc := carry(t, t.Context(), o)
	require.Len(t, doc.Scenarios, 4)
	first, second, bad := doc.Scenarios[0], doc.Scenarios[1], doc.Scenarios[3]

	require.Equal(t, reports.Pass, second.Verdict, second.Reason)
	assert.Contains(t, second.Reproduce, fmt.Sprintf("--seed %d", trialSeed(testSeed, 2)))
	assert.Equal(t, "history/clean.jsonl", first.History)
	assert.Empty(t, second.History, "the first passing trial stands for the others")
	assert.NoFileExists(t, filepath.Join(o.Out, "history", "clean.2.jsonl"))
	require.Equal(t, reports.Fail, bad.Verdict)
	assert.Equal(t, "history/twin-notifications.dedup-by-message-id.2.jsonl", bad.History)
	plan := load(t, o, bad).Plan()
	assert.Equal(t, trialSeed(testSeed, 2), plan.Seed)
	assert.Equal(t, 2, plan.Trial)
}

// One seed makes one plan: orders, keys and amounts are the same again, in whatever order experiments run.
func TestSeedMakesThePlan(t *testing.T) {
	plan := func(seed uint64) (out []history.Payment) {
		o := rig(t, written(t, onePayment))
		o.Seed = seed
		doc := carry(t, t.Context(), o)
		for _, p := range load(t, o, doc.Scenarios[0]).Payments() {
			if !p.V.Probe { // a busy machine may need one more clean payment
				out = append(out, *p.V)
			}
		}
		return out
	}
	one := plan(1)
	require.Len(t, one, 1)
	assert.Equal(t, one, plan(1), "the same again")
	assert.NotEqual(t, one, plan(2))
	assert.NotEqual(t, stream(1, "a", "b").Uint64(), stream(1, "ab").Uint64(), "names do not run together")
}

func TestSideBySide(t *testing.T) {
	one, two := rig(t), rig(t)
	two.Temp, two.Seed = one.Temp, 815
	one.Jobs = append(Plan([]*Scenario{known(t, "bank-reset-after")}, 3, ""), Job{Scenario: known(t, "bank-reset-before"), Trial: 1})
	two.Jobs = Plan([]*Scenario{known(t, "kill-after-debit"), written(t, onePayment)}, 1, "")
	one.Parallel = 4

	running := make(chan *reports.Document)
	go func() {
		doc, err := Run(t.Context(), two)
		assert.NoError(t, err)
		running <- doc
	}()
	w := &watcher{phase: func(_ Job, what string) {
		if what == history.PhaseDrive {
			left, err := stack.Leftovers(t.Context(), one.Temp, false)
			assert.NoError(t, err)
			assert.Empty(t, left, "what a living run uses is nobody's leftover")
		}
	}}
	one.Progress = w
	first, err := Run(t.Context(), one)
	require.NoError(t, err)
	second := <-running
	left, err := os.ReadDir(one.Temp)
	require.NoError(t, err)
	require.Empty(t, left)

	for _, doc := range []*reports.Document{first, second} {
		for _, r := range doc.Scenarios {
			assert.Equal(t, reports.Pass, r.Verdict, "%s #%d: %s %s", r.Name, r.Trial, r.Reason, r.Error)
		}
	}
	assert.Len(t, first.Scenarios, 4)
	for i, r := range first.Scenarios {
		assert.Equal(t, one.Jobs[i].Scenario.Name, r.Name, "results keep the order of the jobs")
		if r.History == "" {
			continue
		}
		h := load(t, one, r)
		ours := map[string]bool{}
		for _, p := range h.Payments() {
			ours[p.V.Account] = true
		}
		for _, l := range h.Ledger() {
			if l.V.Account != "" {
				assert.True(t, ours[l.V.Account], "the bank of %s has seen account %s of another experiment", r.Name, l.V.Account)
			}
		}
	}
}
