package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/sweep"
)

// shrinkTrials is in how many trials of as many a smaller scenario must fail to take the place of the greater one.
const shrinkTrials = 3

// shrink looks for the least scenario of each failure that is different from the others by the check that failed.
func (p *process) shrink(ctx context.Context, f *sweepFlags, o scenarios.Options, plan *sweep.Plan, doc *reports.Document) error {
	found := map[string]bool{}
	o.Out, o.Budget, o.Unclear, o.Repeat, o.FailFast = "", 0, 0, shrinkTrials, false
	o.Progress = quietProgress{}
	for _, e := range plan.Experiments {
		check := gravestCheck(doc, e.Scenario.Name)
		if check == "" || found[check] || len(found) >= f.shrink || ctx.Err() != nil {
			continue
		}
		found[check] = true
		if !f.quiet {
			fmt.Fprintf(p.Stderr, "looking for the least of %s that still breaks %s\n", e.Scenario.Name, check)
		}
		least, err := sweep.Shrink(ctx, e.Scenario, func(ctx context.Context, s *scenarios.Scenario) (bool, error) {
			o.Jobs = scenarios.Plan([]*scenarios.Scenario{s}, shrinkTrials, f.mutant)
			tried, err := scenarios.Run(ctx, o)
			return err == nil && allBreak(tried, check), err
		})
		if err != nil {
			return fmt.Errorf("looking for the least of %s: %w", e.Scenario.Name, err)
		}
		file := filepath.Join(sweepFolder, "least-"+check+".yaml")
		if err := os.WriteFile(filepath.Join(f.out, file), []byte(least.Source), 0o644); err != nil {
			return fmt.Errorf("writing the least of %s: %w", e.Scenario.Name, err)
		}
		doc.Sweep.Smallest = append(doc.Sweep.Smallest, reports.SweepSmallest{
			Scenario: e.Scenario.Name, File: filepath.ToSlash(file), Check: check, Trials: shrinkTrials, Text: least.Source,
		})
	}
	return nil
}

// gravestCheck is the first check that failed in an experiment, or "".
func gravestCheck(doc *reports.Document, name string) string {
	for i := range doc.Scenarios {
		if s := &doc.Scenarios[i]; s.Name == name && s.Verdict == reports.Fail {
			if checks := failed(s); len(checks) > 0 {
				return checks[0]
			}
		}
	}
	return ""
}

// allBreak says whether a check failed in every trial of a result.
func allBreak(doc *reports.Document, check string) bool {
	for i := range doc.Scenarios {
		if !slices.Contains(failed(&doc.Scenarios[i]), check) {
			return false
		}
	}
	return len(doc.Scenarios) == shrinkTrials
}
