package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"onedebit/reports"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

func TestCodeOf(t *testing.T) {
	bad := &decode.Error{File: "s.yaml", Line: 1, Column: 2, Msg: "unknown key"}
	for name, c := range map[string]struct {
		err         error
		interrupted bool
		want        int
	}{
		"nothing wrong":                  {nil, false, exitPass},
		"a verdict":                      {exit(exitBroken), false, exitBroken},
		"a verdict, wrapped":             {fmt.Errorf("run: %w", exit(exitInconclusive)), false, exitInconclusive},
		"a verdict of an interrupted":    {exit(exitInterrupted), true, exitInterrupted},
		"usage":                          {usage{errors.New("unknown flag")}, false, exitUsage},
		"a bad file":                     {fmt.Errorf("reading: %w", bad), false, exitUsage},
		"a bad file among others":        {errors.Join(errors.New("reading scenario"), bad), false, exitUsage},
		"not up":                         {fmt.Errorf("bank: %w", stack.ErrNotUp), false, exitEnvironment},
		"not up beats a bad file":        {errors.Join(bad, stack.ErrNotUp), false, exitEnvironment},
		"anything else":                  {errors.New("disk full"), false, exitEnvironment},
		"interrupted before any verdict": {errors.New("context canceled"), true, exitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, codeOf(c.err, c.interrupted))
		})
	}
}

func TestExitCode(t *testing.T) {
	spoilt := reports.Scenario{Verdict: reports.Inconclusive, Environment: true}
	spoiltFail := reports.Scenario{Verdict: reports.Fail, Environment: true}
	for name, c := range map[string]struct {
		doc  reports.Document
		want exit
	}{
		"pass":                         {reports.Document{Verdict: reports.Pass}, exitPass},
		"nothing was judged":           {reports.Document{Verdict: reports.Skipped}, exitInconclusive},
		"broken":                       {reports.Document{Verdict: reports.Fail}, exitBroken},
		"inconclusive":                 {reports.Document{Verdict: reports.Inconclusive}, exitInconclusive},
		"environment beats unclear":    {reports.Document{Verdict: reports.Inconclusive, Scenarios: []reports.Scenario{spoilt}}, exitEnvironment},
		"environment of the whole run": {reports.Document{Verdict: reports.Pass, Error: "no port"}, exitEnvironment},
		"broken beats environment":     {reports.Document{Verdict: reports.Fail, Error: "no port", Scenarios: []reports.Scenario{spoilt}}, exitBroken},
		"broken in spite of trouble":   {reports.Document{Verdict: reports.Fail, Scenarios: []reports.Scenario{spoiltFail}}, exitBroken},
		"interrupted":                  {reports.Document{Verdict: reports.Pass, Interrupted: true}, exitInterrupted},
		"interrupted with a failure":   {reports.Document{Verdict: reports.Fail, Interrupted: true}, exitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, exitCode(&c.doc))
		})
	}
}

// Trouble at the very end must not hide that money is wrong, and must not pass for a pass.
func TestConclude(t *testing.T) {
	trouble := errors.New("write md report: no space")
	for name, c := range map[string]struct {
		err  error
		code exit
		want int
		said string
	}{
		"pass":                            {nil, exitPass, exitPass, ""},
		"broken":                          {nil, exitBroken, exitBroken, ""},
		"no report of a pass":             {trouble, exitPass, exitEnvironment, ""},
		"no report of an unclear verdict": {trouble, exitInconclusive, exitEnvironment, ""},
		"no report of a broken invariant": {trouble, exitBroken, exitBroken, "onedebit: write md report: no space\n"},
		"no report of an interrupted run": {trouble, exitInterrupted, exitInterrupted, "onedebit: write md report: no space\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			p := &process{Stderr: &stderr}
			assert.Equal(t, c.want, codeOf(p.conclude(c.err, c.code), false))
			assert.Equal(t, c.said, stderr.String())
		})
	}
}

func TestComplainSaysEachErrorOnALineOfItsOwn(t *testing.T) {
	var stderr bytes.Buffer
	(&process{Stderr: &stderr}).complain(errors.Join(errors.New("a.yaml: bad"), errors.New("b.yaml: worse")))
	assert.Equal(t, "onedebit: a.yaml: bad\nonedebit: b.yaml: worse\n", stderr.String())
}

func TestFlagError(t *testing.T) {
	cmd := &cobra.Command{Use: "run"}
	cmd.Flags().String("mutant", "", "")
	for given, want := range map[string]string{
		"unknown flag: --mutnt":         "unknown flag --mutnt; did you mean --mutant?",
		"unknown flag: --zzzzzz":        "unknown flag --zzzzzz; see run --help",
		"flag needs an argument: --out": "flag needs an argument: --out; see run --help",
		`invalid argument "x" for "-n"`: `invalid argument "x" for "-n"; see run --help`,
	} {
		assert.EqualError(t, flagError(cmd, errors.New(given)), want)
	}
}
