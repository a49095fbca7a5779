package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference/mutants"
	"onedebit/reports"
	"onedebit/scenarios"
)

var (
	oneDebit = mutants.Mutant{Name: "m1", Doc: "the lock is missing", Scenario: "s1", Check: "one-debit", Says: "for this reason"}
	settles  = mutants.Mutant{Name: "m2", Doc: "the end is missing", Scenario: "s1", Check: "settles", Says: "for this reason"}
)

// trial is one trial of a mutant in which these checks fail.
func trial(mutant string, n int, v reports.Verdict, failed ...string) reports.Scenario {
	s := reports.Scenario{Name: "s1", Mutant: mutant, Trial: n, Verdict: v, Checks: []reports.Check{{Name: "effects-once", Verdict: reports.Pass}}}
	for _, name := range failed {
		s.Checks = append(s.Checks, reports.Check{Name: name, Verdict: reports.Fail, Findings: []reports.Finding{
			{Message: "by another's fault"}, {Message: "order A is wrong for this reason"},
		}})
	}
	return s
}

// otherwise has the checks fail for another reason than the one that counts.
func otherwise(s reports.Scenario) reports.Scenario {
	s.Checks = slices.Clone(s.Checks)
	for i := range s.Checks {
		s.Checks[i].Findings = s.Checks[i].Findings[:min(1, len(s.Checks[i].Findings))]
	}
	return s
}

func spoilt(s reports.Scenario) reports.Scenario {
	s.Environment, s.Reason = true, "no port"
	return s
}

var controlPass = trial("", 1, reports.Pass)

func TestRowCountsAKillOnlyForTheCheckThatIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		trials        []reports.Scenario
		tried, killed int
		dead          bool
		by            []string
		note          string
	}{
		"never tried":        {nil, 0, 0, false, nil, ""},
		"killed":             {[]reports.Scenario{trial("m1", 1, reports.Fail, "one-debit")}, 1, 1, true, []string{"one-debit"}, ""},
		"killed with others": {[]reports.Scenario{trial("m1", 1, reports.Fail, "settles", "one-debit")}, 1, 1, true, []string{"settles", "one-debit"}, ""},
		"another check":      {[]reports.Scenario{trial("m1", 1, reports.Fail, "settles")}, 1, 0, false, []string{"settles"}, "trial 1: fail"},
		"another reason":     {[]reports.Scenario{otherwise(trial("m1", 1, reports.Fail, "one-debit"))}, 1, 0, false, []string{"one-debit"}, "trial 1: fail"},
		"survived":           {[]reports.Scenario{trial("m1", 1, reports.Pass)}, 1, 0, false, nil, "trial 1: pass"},
		"another's trial":    {[]reports.Scenario{trial("m2", 1, reports.Fail, "one-debit"), trial("", 1, reports.Fail, "one-debit")}, 0, 0, false, nil, ""},
		"killed at times": {
			[]reports.Scenario{trial("m1", 1, reports.Fail, "one-debit"), trial("m1", 2, reports.Pass), trial("m1", 3, reports.Fail, "one-debit")},
			3, 2, false, []string{"one-debit"}, "trial 2: pass",
		},
		"the environment": {[]reports.Scenario{spoilt(trial("m1", 1, reports.Inconclusive))}, 1, 0, false, nil, "trial 1: inconclusive no port"},
		"at most three notes": {
			[]reports.Scenario{trial("m1", 1, reports.Pass), trial("m1", 2, reports.Pass), trial("m1", 3, reports.Pass), trial("m1", 4, reports.Pass)},
			4, 0, false, nil, "trial 1: pass; trial 2: pass; trial 3: pass",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := row(oneDebit, &reports.Document{Scenarios: c.trials})
			assert.Equal(t, c.tried, r.Trials)
			assert.Equal(t, c.killed, r.Kills)
			assert.Equal(t, c.dead, r.Killed)
			assert.Equal(t, c.by, r.By)
			assert.Equal(t, c.note, r.Note)
		})
	}
}

func TestMatrixCode(t *testing.T) {
	killed := trial("m1", 1, reports.Fail, "one-debit")
	for name, c := range map[string]struct {
		trials []reports.Scenario
		want   exit
	}{
		"all killed":                            {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Fail, "settles")}, exitPass},
		"one survived":                          {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Pass)}, exitBroken},
		"one survived once":                     {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Fail, "settles"), trial("m2", 2, reports.Pass)}, exitBroken},
		"killed by another check only":          {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Fail, "one-debit")}, exitBroken},
		"killed for another reason only":        {[]reports.Scenario{controlPass, otherwise(killed), trial("m2", 1, reports.Fail, "settles")}, exitBroken},
		"the correct reference is accused":      {[]reports.Scenario{trial("", 1, reports.Fail, "one-debit"), killed, trial("m2", 1, reports.Fail, "settles")}, exitBroken},
		"the control could not be judged":       {[]reports.Scenario{trial("", 1, reports.Inconclusive), killed, trial("m2", 1, reports.Fail, "settles")}, exitInconclusive},
		"no control":                            {[]reports.Scenario{killed, trial("m2", 1, reports.Fail, "settles")}, exitInconclusive},
		"a mutant was not tried":                {[]reports.Scenario{controlPass, killed}, exitInconclusive},
		"a mutant could not be judged":          {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Inconclusive)}, exitInconclusive},
		"a mutant was skipped":                  {[]reports.Scenario{controlPass, killed, trial("m2", 1, reports.Skipped)}, exitPass},
		"the environment beats unclear":         {[]reports.Scenario{controlPass, spoilt(trial("m1", 1, reports.Inconclusive)), trial("m2", 1, reports.Inconclusive)}, exitEnvironment},
		"a survivor beats the environment":      {[]reports.Scenario{controlPass, spoilt(trial("m1", 1, reports.Inconclusive)), trial("m2", 1, reports.Pass)}, exitBroken},
		"a kill stands whatever came behind it": {[]reports.Scenario{controlPass, spoilt(killed), trial("m2", 1, reports.Fail, "settles")}, exitPass},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, matrixCode([]mutants.Mutant{oneDebit, settles}, &reports.Document{Scenarios: c.trials}))
		})
	}
	interrupted := &reports.Document{Interrupted: true, Scenarios: []reports.Scenario{controlPass, trial("m1", 1, reports.Pass)}}
	assert.Equal(t, exit(exitInterrupted), matrixCode([]mutants.Mutant{oneDebit}, interrupted))
}

func TestMatrixTakesItsControlFromTheCorrectReference(t *testing.T) {
	doc := &reports.Document{Seed: 7, Runtime: "embedded", Scenarios: []reports.Scenario{controlPass, trial("", 2, reports.Inconclusive), trial("m1", 1, reports.Fail, "one-debit")}}
	m := matrixOf([]mutants.Mutant{oneDebit, settles}, doc, false)
	assert.Equal(t, reports.Inconclusive, m.Control)
	assert.Len(t, m.Rows, 2)
	assert.Equal(t, uint64(7), m.Seed)
	assert.Empty(t, matrixOf([]mutants.Mutant{oneDebit}, &reports.Document{}, false).Control, "a control that was not run is none")
}

func TestEachMutantRunsOnItsScenarioAsOftenAsTheControl(t *testing.T) {
	all, err := scenarios.Find([]string{"fifty-at-once", "fresh-key-per-click"})
	require.NoError(t, err)
	list := []mutants.Mutant{{Name: "m1", Scenario: "fresh-key-per-click"}, {Name: "m2", Scenario: "fifty-at-once"}}
	var got []string
	for _, j := range jobsOf(list, scenarios.Plan(all, 2, ""), false) {
		got = append(got, j.String())
	}
	assert.Equal(t, []string{
		"submit/fresh-key-per-click × m1", "submit/fresh-key-per-click × m1 #2",
		"submit/fifty-at-once × m2", "submit/fifty-at-once × m2 #2",
	}, got)
}

// A mutant whose scenario cannot be carried out here is neither killed nor alive; where all are like that, nothing is shown.
func TestSkippedMutants(t *testing.T) {
	skip := trial("m1", 1, reports.Skipped)
	skip.Reason = "no link db"
	control := trial("", 1, reports.Skipped)
	alone := &reports.Document{Scenarios: []reports.Scenario{control, skip}}
	m := matrixOf([]mutants.Mutant{oneDebit}, alone, false)
	assert.Empty(t, m.Rows)
	assert.Equal(t, []string{"m1 on s1: no link db"}, m.Skipped)
	assert.Equal(t, exit(exitInconclusive), matrixCode([]mutants.Mutant{oneDebit}, alone))

	both := &reports.Document{Scenarios: []reports.Scenario{controlPass, skip, trial("m2", 1, reports.Fail, "settles")}}
	m = matrixOf([]mutants.Mutant{oneDebit, settles}, both, false)
	require.Len(t, m.Rows, 1)
	assert.Equal(t, "m2", m.Rows[0].Mutant)
	assert.Equal(t, reports.Pass, m.Control)
	assert.Equal(t, exit(exitPass), matrixCode([]mutants.Mutant{oneDebit, settles}, both))
}

// What lets a mutant live is the workload's weakness, the check's, or its own.
func TestClassesOfSurvivors(t *testing.T) {
	control := controlPass
	control.Outcome = []string{"A: row SUCCESS"}
	survivor := func(edit func(*reports.Scenario)) reports.Scenario {
		s := trial("m1", 1, reports.Pass)
		s.Outcome = []string{"A: row SUCCESS, row SUCCESS"}
		s.Faults = []reports.Fault{{Name: "lost", Fired: 1}, {Name: "maybe", Optional: true}}
		s.Checks = append(s.Checks, reports.Check{Name: "one-debit", Verdict: reports.Pass})
		edit(&s)
		return s
	}
	for name, c := range map[string]struct {
		edit func(*reports.Scenario)
		want string
	}{
		"unfelt":     {func(s *reports.Scenario) { s.Faults[0].Fired = 0 }, "weak workload: fault lost was never felt"},
		"unseen":     {func(s *reports.Scenario) { s.Checks[1].Verdict = reports.Skipped }, "weak workload: the check had nothing to see"},
		"different":  {func(*reports.Scenario) {}, "weak check: rows or ledger differ from those of the correct reference, and no check says so"},
		"others":     {func(s *reports.Scenario) { s.Checks[0].Verdict = reports.Fail }, "weak check: effects-once saw it, and the check that is named did not"},
		"the same":   {func(s *reports.Scenario) { s.Outcome = control.Outcome }, "bad mutant: rows and ledger are those of the correct reference"},
		"not judged": {func(s *reports.Scenario) { s.Error = "no port" }, "trouble"},
	} {
		t.Run(name, func(t *testing.T) {
			r := row(oneDebit, &reports.Document{Scenarios: []reports.Scenario{control, survivor(c.edit)}})
			assert.Equal(t, c.want, r.Class)
		})
	}
}

func TestMatrixOfEveryMutantOnEveryScenario(t *testing.T) {
	on := func(scenario string, s reports.Scenario) reports.Scenario { s.Name = scenario; return s }
	killed := trial("m1", 1, reports.Fail, "one-debit")
	killed.Checks[1].Findings = []reports.Finding{{Message: "two debits for this reason"}}
	doc := &reports.Document{Scenarios: []reports.Scenario{
		controlPass, on("s2", controlPass), on("s3", controlPass), on("s3", trial("", 2, reports.Fail, "settles")),
		killed, on("s2", trial("m1", 1, reports.Fail, "settles", "one-debit")), on("s3", trial("m1", 1, reports.Pass)),
	}}
	m := matrixOf([]mutants.Mutant{oneDebit}, doc, true)
	require.Len(t, m.Rows, 1)
	assert.Equal(t, 1, m.Rows[0].Trials, "only its own scenario counts")
	assert.Equal(t, "two debits for this reason", m.Rows[0].Says)
	assert.Equal(t, []string{"s2 (one-debit, settles)"}, m.Rows[0].Elsewhere)
	assert.Equal(t, reports.Summary{Pass: 3, Fail: 1}, m.ControlTrials)
	assert.Equal(t, []reports.MatrixColumn{
		{Scenario: "s1", Control: reports.Summary{Pass: 1}, Named: 1, Kills: []string{"m1"}},
		{Scenario: "s2", Control: reports.Summary{Pass: 1}, Kills: []string{"m1"}},
		{Scenario: "s3", Control: reports.Summary{Pass: 1, Fail: 1}},
	}, m.Columns)
	assert.Equal(t, exit(exitBroken), matrixCode([]mutants.Mutant{oneDebit}, doc), "the correct reference was accused")
	doc.Scenarios = slices.Delete(doc.Scenarios, 3, 4)
	assert.Equal(t, exit(exitPass), matrixCode([]mutants.Mutant{oneDebit}, doc), "a mutant may live where it is not named")
}

func TestChosenMutants(t *testing.T) {
	list, on, err := chosenMutants([]string{"inflight-is-fail", "same-key-other-body"}, []string{"second-while-held"}, false)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []string{"second-while-held"}, on)
	list, on, err = chosenMutants([]string{"inflight-is-fail"}, []string{"fifty-at-once"}, true)
	require.NoError(t, err)
	assert.Equal(t, "inflight-is-fail", list[0].Name)
	assert.Equal(t, []string{"fifty-at-once"}, on)
	_, _, err = chosenMutants([]string{"inflight-is-fail"}, []string{"fifty-at-once"}, false)
	require.ErrorContains(t, err, "--all tries it all the same")
	_, _, err = chosenMutants(nil, []string{"nosuch"}, false)
	require.Error(t, err)
}
