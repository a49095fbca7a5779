package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/workload"
)

func TestStepThatFails(t *testing.T) {
	s := written(t, `
name: wrong-step
title: A step is about what never came to be
payment: {amount: 500, channel: WECHAT}
steps:
  - fault: {lost-answer: {link: bank, message: debit, nth: 1, count: 1}, as: lost}
  - pay: {omit-key: true}
  - callback: {of: A}
  - pay: {of: C}
`)
	o := rig(t, s)
	r := carry(t, t.Context(), o).Scenarios[0]
	assert.Equal(t, reports.Inconclusive, r.Verdict, "trouble of the schedule says nothing about the service")
	assert.Contains(t, r.Error, "step callback (line 8)")
	assert.Equal(t, r.Error, r.Reason)
	assert.False(t, r.Environment)
	assert.Equal(t, 1, r.Payments, "nothing after the step is carried out")
	h := load(t, o, r)
	healed := slices.ContainsFunc(h.Faults(), func(f history.At[history.Fault]) bool { return f.V.State == history.Healed })
	assert.True(t, healed, "healing runs whatever happened before")
	_, ok := h.AtRest()
	assert.True(t, ok, "and so does the last look")
}

func TestEnvironment(t *testing.T) {
	noKeys := rig(t, written(t, onePayment))
	noKeys.Target.Payment.Token.Post = "/nowhere"
	dies := rig(t, written(t, onePayment))
	dies.Target.Processes[0].Role = "dead"
	noBinary := rig(t, written(t, onePayment))
	noBinary.Self = []string{filepath.Join(noBinary.Temp, "absent")}
	noPlaceholder := rig(t, written(t, onePayment))
	noPlaceholder.Target.Processes[0].Config["listen"] = "${nowhere}"
	noFolder := rig(t, written(t, onePayment))
	noFolder.Out = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(noFolder.Out, nil, 0o600))

	for name, c := range map[string]struct {
		options     Options
		environment bool
		words       string
		log         bool
	}{
		"clean payment does not work":   {noKeys, true, "a clean payment does not work", true},
		"service ends before it is up":  {dies, true, "service ended before it was ready", true},
		"service cannot be started":     {noBinary, true, "absent", false},
		"target file with a wrong word": {noPlaceholder, false, "nowhere", false},
		"history cannot be saved":       {noFolder, true, "history", false},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Run(t.Context(), c.options)
			require.NoError(t, err)
			r := doc.Scenarios[0]
			assert.Equal(t, reports.Inconclusive, r.Verdict)
			assert.Equal(t, c.environment, r.Environment)
			assert.Contains(t, r.Error, c.words)
			assert.Equal(t, r.Error, r.Reason)
			if c.log {
				assert.NotEmpty(t, r.Log, "the service's last words")
			}
			if name == "service ends before it is up" {
				assert.Equal(t, []string{"the last words of a service that cannot start"}, r.Log)
			}
			left, err := os.ReadDir(c.options.Temp)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestWorkingFolderCannotBeMade(t *testing.T) {
	o := rig(t, written(t, onePayment))
	o.Temp = filepath.Join(o.Temp, "absent")
	doc, err := Run(t.Context(), o)
	assert.Nil(t, doc)
	require.ErrorIs(t, err, stack.ErrNotUp)
	assert.ErrorContains(t, err, "TMPDIR")
}

const waits = `
name: waits
title: A payment is under way when the run is interrupted
bank: {callbacks: false}
payment: {amount: 500, channel: WECHAT}
steps:
  - fault: {hold: {link: bank, message: debit, part: answer, nth: 1, count: 1}, as: held}
  - pay: {}
    background: true
  - await: {fault: held, holding: 1}
  - wait: 1h
  - pay: {of: B}
`

func TestInterrupted(t *testing.T) {
	for _, at := range []string{history.PhaseUp, history.PhaseProbe, "wait", history.PhaseSettle} {
		t.Run(at, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			s, later := written(t, waits), written(t, onePayment)
			if at == history.PhaseSettle {
				s = written(t, onePayment)
			}
			o := rig(t, s, later)
			o.Parallel = 1
			w := &watcher{phase: func(_ Job, what string) {
				if what == at {
					interrupt()
				}
			}}
			o.Progress = w
			doc := carry(t, ctx, o)
			assert.True(t, doc.Interrupted)
			require.Len(t, doc.Scenarios, 1, "nothing further is begun")
			assert.Contains(t, doc.NotCovered, "1 of 2 experiments were not begun")
			assert.Equal(t, w.begun, w.ended)
			r := doc.Scenarios[0]
			assert.Equal(t, reports.Inconclusive, r.Verdict, failed(r))
			assert.Equal(t, "interrupted", r.Error)
			assert.False(t, r.Environment, "somebody's wish is no trouble of the surroundings")
			assert.Equal(t, reports.Money{}, doc.Money, "what is still on its way is neither made up nor lost")
			h := load(t, o, r)
			require.NotEmpty(t, h.Gaps())
			assert.Equal(t, "interrupted", h.Gaps()[len(h.Gaps())-1].V.What)
			armed, healed := 0, 0
			for _, f := range h.Faults() {
				switch f.V.State {
				case history.Armed:
					armed++
				case history.Healed:
					healed++
				}
			}
			assert.Equal(t, armed, healed, "every fault is healed")
		})
	}
}

func TestFailFastBeginsNothingFurther(t *testing.T) {
	released := make(chan struct{})
	o := rig(t, known(t, "twin-notifications"), written(t, waitsForNothing), written(t, neverFires))
	o.Jobs[0].Mutant = "dedup-by-message-id"
	o.FailFast, o.Parallel = true, 2
	w := &watcher{}
	w.phase = func(job Job, what string) {
		if job.Scenario.Name == "waits-for-nothing" && what == "observe" {
			select {
			case <-released:
			case <-time.After(time.Minute):
			}
		}
	}
	o.Progress = &ender{watcher: w, after: "callback/twin-notifications × dedup-by-message-id", then: func() { close(released) }}
	doc := carry(t, t.Context(), o)
	require.Len(t, doc.Scenarios, 2)
	assert.Equal(t, reports.Fail, doc.Scenarios[0].Verdict)
	assert.Equal(t, reports.Pass, doc.Scenarios[1].Verdict, "what had begun comes to its end: %s", doc.Scenarios[1].Reason)
	assert.Contains(t, doc.NotCovered, "1 of 3 experiments were not begun")
	assert.False(t, doc.Interrupted)
}

const waitsForNothing = `
name: waits-for-nothing
title: Goes on while another experiment fails
payment: {amount: 500, channel: WECHAT}
steps:
  - pay: {}
  - observe
  - wait: 1s
  - pay: {same-key: true}
`

// ender calls back when one experiment has ended.
type ender struct {
	*watcher
	after string
	then  func()
}

func (e *ender) End(job Job, r *reports.Scenario) {
	e.watcher.End(job, r)
	if job.String() == e.after {
		e.then()
	}
}

// nothing is a site where no stack ever comes up.
type nothing struct{}

func (nothing) Up(context.Context, stack.Spec) (*stack.Stack, error) {
	return &stack.Stack{}, stack.ErrNotUp
}
func (nothing) Close() error { return nil }

func TestSkippedWhereALinkIsMissing(t *testing.T) {
	o := rig(t, known(t, "replay-ten-times"), known(t, "bank-latency"), written(t, "needs: [db]"+onePayment))
	o.Runtime = &stack.Runtime{
		Name: "little", Doc: "has one link", Links: func(stack.Servers) []string { return []string{stack.BankLink} },
		Open: func(context.Context, stack.Run) (stack.Site, error) { return nothing{}, nil },
	}
	w := &watcher{}
	o.Progress = w
	doc := carry(t, t.Context(), o)
	queue, bank, db := doc.Scenarios[0], doc.Scenarios[1], doc.Scenarios[2]
	assert.Equal(t, reports.Skipped, queue.Verdict)
	assert.Equal(t, "runtime little has no link queue", queue.Reason)
	assert.Equal(t, reports.Skipped, db.Verdict)
	assert.True(t, bank.Environment, "what can be carried out is begun")
	assert.Empty(t, queue.History)
	assert.NotContains(t, doc.NotCovered, "replay-ten-times: runtime little has no link queue", "the scenario itself says so")
	assert.Contains(t, strings.Join(doc.NotCovered, "\n"), "faults between service and database: ")
	assert.Len(t, w.ended, 3, "a skip is told too")
	assert.Equal(t, reports.Summary{Skipped: 2, Inconclusive: 1}, doc.Summary)
}

// A service that does not come to rest is recorded as such: that is for the checks to judge.
func TestRest(t *testing.T) {
	o := rig(t, written(t, onePayment))
	workdir, err := stack.NewWorkdir(o.Temp)
	require.NoError(t, err)
	defer func() { _ = workdir.Remove() }()
	o.site, err = o.Runtime.Open(t.Context(), stack.Run{
		Self: o.Self, Env: o.Env, Workdir: workdir, Loopback: stack.NewLoopback(stream(1, "loopback")),
	})
	require.NoError(t, err)
	x := &experiment{
		Job: o.Jobs[0], target: o.Target, seed: testSeed, options: &o, phase: func(string) {},
		recorder: history.NewRecorder(time.Now),
	}
	require.NoError(t, x.bringUp(t.Context()))
	defer x.stack.Down()
	steps := func(text string) []workload.Step { return written(t, "name: x\ntitle: x\nsteps:\n"+text).Steps }
	run := func(text string) { require.NoError(t, x.steps.Run(t.Context(), steps(text))) }

	run(`
  - fault: {bank-accept: {nth: 1, count: 1}, as: accepted}
  - pay: {}
`)
	require.NoError(t, x.rest(t.Context(), 300*time.Millisecond, 0))
	s, ok := x.recorder.History().Settled()
	require.True(t, ok)
	assert.False(t, s.OK)
	assert.Contains(t, s.Moving, "1 rows ")
	assert.GreaterOrEqual(t, s.Waited, s.Within)

	settles := steps("  - pay: {}\n  - bank-settles: {status: SUCCESS, callback: true}\n")[1:] // of the payment that is there
	require.NoError(t, x.steps.Run(t.Context(), settles))
	require.NoError(t, x.rest(t.Context(), time.Minute, 50*time.Millisecond))
	s, _ = x.recorder.History().Settled()
	assert.True(t, s.OK, s.Moving)
	assert.Empty(t, s.Moving)
	assert.NoError(t, x.calm(t.Context()))

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, x.rest(gone, time.Minute, 0), context.Canceled)
}
