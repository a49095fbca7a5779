package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/reference/mutants"
	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/decode"
)

func (p *process) mutantsCommand() *cobra.Command {
	var f runFlags
	var only []string
	var everywhere bool
	var part shardFlags
	var by string
	cmd := &cobra.Command{
		Use:   "mutants [MUTANT…]",
		Short: "Proves that the checks see: runs services with one defence wrong, each of which must be caught",
		Long: `Runs the reference with exactly one defence wrong, mutant by mutant, each on the scenario that it names, and prints the
kill matrix. A kill counts only where the check that the mutant names fails for the reason that it names. The correct reference runs first on the same
scenarios: where it does not pass, no kill is worth anything. A mutant that survives gets a class: the workload is too weak
(a fault was never felt, the check had nothing to see), the check is too weak (rows or ledger differ from those of the correct
reference, and it is silent), or the mutant is bad (nothing differs).

With --all every mutant runs on every scenario, which shows what else kills it and which scenario kills nothing.

With --by sweep no scenario is taken from the catalogue: each mutant whose fault is a single loss, delay, duplicate or crash
(with --all every one) runs on the experiments that onedebit sweep makes by itself, until one fails. Exit code 1 means then
that the correct reference was accused.

Exit codes: 0 every mutant was killed in every trial and the correct reference passed, 1 a mutant survived or the correct
reference was accused, 2 usage, 3 something could not be told, 4 the environment, 130 interrupted.`,
		Example:   "  onedebit mutants\n  onedebit mutants check-then-insert --trials 20\n  onedebit mutants --scenario submit --all",
		ValidArgs: mutantNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, names, err := chosenMutants(args, only, everywhere)
			if err != nil {
				return err
			}
			switch by {
			case "scenarios":
			case "sweep":
				return p.mutantsBySweep(cmd, &f, list, everywhere)
			default:
				return usage{errors.New(decode.UnknownName("way to kill", by, []string{"scenarios", "sweep"}))}
			}
			o, err := p.options(&f, cmd, names)
			if err != nil {
				return err
			}
			o.Matrix = true
			o.Jobs = append(o.Jobs, jobsOf(list, o.Jobs, everywhere)...)
			if err := p.shard(&part, cmd, &o); err != nil {
				return err
			}
			doc, err := p.carryOut(cmd.Context(), &f, o, fmt.Sprintf("onedebit mutants · %s · seed %d · %g×", o.Runtime.Name, o.Seed, o.Speed))
			if err != nil {
				return err
			}
			return p.showMatrix(&f, matrixOf(list, doc, everywhere))
		},
	}
	f.add(cmd)
	f.addRepeat(cmd, "trials")
	part.add(cmd)
	cmd.Flags().StringSliceVar(&only, "scenario", nil, "only mutants that name these scenarios or families; with --all, only these scenarios")
	completeBy(cmd, "scenario", completeScenarios)
	cmd.Flags().BoolVar(&everywhere, "all", false, "every mutant on every scenario, not only on the one that it names")
	cmd.Flags().StringVar(&by, "by", "scenarios", "what kills: scenarios, or sweep")
	complete(cmd, "by", []string{"scenarios", "sweep"})
	return cmd
}

// chosenMutants are the mutants that are asked for, and the scenarios that they run on.
func chosenMutants(names, only []string, everywhere bool) (list []mutants.Mutant, on []string, err error) {
	asked := mutants.All()
	if len(names) > 0 {
		asked = nil
	}
	for _, name := range names {
		m, err := mutant(name)
		if err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(asked, func(o mutants.Mutant) bool { return o.Name == m.Name }) {
			asked = append(asked, m)
		}
	}
	columns, err := scenarios.Find(only) // the whole catalogue, where nothing is said
	if err != nil {
		return nil, nil, usage{err}
	}
	there := func(name string) bool {
		return slices.ContainsFunc(columns, func(s *scenarios.Scenario) bool { return s.Name == name })
	}
	for _, m := range asked {
		if everywhere || there(m.Scenario) {
			list = append(list, m)
		}
		if !everywhere && there(m.Scenario) && !slices.Contains(on, m.Scenario) {
			on = append(on, m.Scenario)
		}
	}
	if everywhere {
		for _, s := range columns {
			on = append(on, s.Name)
		}
	}
	if len(on) == 0 {
		return nil, nil, usage{fmt.Errorf("no mutant that is asked for names scenario %s; --all tries it all the same", strings.Join(only, ", "))}
	}
	return list, on, nil
}

// jobsOf are the experiments of the mutants, as often as the control: each on the scenario that it names, or on all.
func jobsOf(list []mutants.Mutant, control []scenarios.Job, everywhere bool) (out []scenarios.Job) {
	for _, m := range list {
		for _, j := range control {
			if everywhere || j.Scenario.Name == m.Scenario {
				j.Mutant = m.Name
				out = append(out, j)
			}
		}
	}
	return out
}

// matrixCode is what a kill matrix means for a pipeline. A trial that the environment spoilt, or that could not be judged,
// neither kills a mutant nor lets it survive.
func matrixCode(list []mutants.Mutant, doc *reports.Document) exit {
	named := map[string]mutants.Mutant{}
	untried := map[string]bool{"": true}
	for _, m := range list {
		named[m.Name], untried[m.Name] = m, true
	}
	var broken, environment, unclear, tried bool
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		if s.Mutant != "" && s.Name != named[s.Mutant].Scenario {
			delete(untried, s.Mutant) // what else kills it is worth knowing, and no more
			continue
		}
		delete(untried, s.Mutant)
		tried = tried || s.Mutant != "" && s.Verdict != reports.Skipped
		switch right := s.Mutant == "" && s.Verdict == reports.Pass || s.Mutant != "" && said(s, named[s.Mutant]) != ""; {
		case right, s.Verdict == reports.Skipped:
		case s.Verdict == reports.Fail:
			broken = true
		case s.Environment:
			environment = true
		case s.Verdict == reports.Pass:
			broken = true
		default:
			unclear = true
		}
	}
	switch {
	case doc.Interrupted:
		return exitInterrupted
	case broken:
		return exitBroken
	case environment || doc.Error != "":
		return exitEnvironment
	case unclear || !tried || len(untried) > 0:
		return exitInconclusive
	}
	return exitPass
}

// showMatrix prints the matrix and writes it down. A matrix that cannot be written takes nothing away from what it shows.
func (p *process) showMatrix(f *runFlags, m *reports.Matrix) error {
	width, _, color := p.screen(p.Stdout)
	err := errors.Join(reports.SaveMatrix(f.out, m), heard(reports.MatrixText(p.Stdout, m, width, color)))
	if err == nil {
		fmt.Fprintf(p.Stdout, "report: %s\n", filepath.Join(f.out, "mutants.md"))
	}
	return p.conclude(err, exit(m.Code))
}
