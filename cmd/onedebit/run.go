package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/reports"
	"onedebit/scenarios"
)

func (p *process) runCommand() *cobra.Command {
	var f runFlags
	var baseline string
	var part shardFlags
	var watched bool
	var ways variantFlags
	cmd := &cobra.Command{
		Use:   "run [SCENARIO…]",
		Short: "Carries scenarios out and gives the verdict (the main job)",
		Long: `Carries scenarios out, each on a stack of its own, and gives the verdict from both ledgers: the bank's and the service's.

A SCENARIO is a name of the catalogue, a whole family, or a file; without one the whole catalogue is carried out.

Exit codes: 0 all pass, 1 an invariant is broken, 2 usage or a bad file, 3 inconclusive, 4 the environment, 130 interrupted.`,
		Example:           "  onedebit run\n  onedebit run callback\n  onedebit run bank-answer-lost --seed 42 --repeat 20\n  onedebit run --target onedebit.yaml\n  onedebit run --mutant check-then-insert\n  onedebit run --watch my-scenario.yaml",
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			once := func() error { return p.runOnce(cmd, &f, &part, &ways, baseline, args) }
			if watched {
				return p.watch(cmd.Context(), args, once)
			}
			return once()
		},
	}
	f.add(cmd)
	f.addRepeat(cmd, "repeat")
	f.addFormats(cmd)
	part.add(cmd)
	ways.add(cmd)
	addBaseline(cmd, &baseline)
	cmd.Flags().BoolVar(&f.failFast, "fail-fast", false, "begin nothing new after the first failure")
	cmd.Flags().BoolVar(&watched, "watch", false, "carry the scenario files out again whenever one is saved, until Ctrl-C")
	f.addTarget(cmd)
	f.addMutant(cmd)
	return cmd
}

// runOnce is one run, from its flags to its last screen.
func (p *process) runOnce(cmd *cobra.Command, f *runFlags, part *shardFlags, ways *variantFlags, baseline string, args []string) error {
	if _, err := p.formats(f); err != nil {
		return err
	}
	o, err := p.options(f, cmd, args)
	if err != nil {
		return err
	}
	if err := ways.vary(&o); err != nil {
		return err
	}
	o.Mutant = f.mutant
	for i := range o.Jobs {
		o.Jobs[i].Mutant = f.mutant
	}
	if err := p.shard(part, cmd, &o); err != nil {
		return err
	}
	before, err := baselineOf(baseline)
	if err != nil {
		return err
	}
	o.Known = known(before)
	title := fmt.Sprintf("onedebit run · %s · %s · seed %d · %g×", cmp.Or(f.mutant, o.Target.Name), o.Runtime.Name, o.Seed, o.Speed)
	doc, err := p.carryOut(cmd.Context(), f, o, title)
	if err != nil {
		return err
	}
	if before != nil {
		reports.Against(doc, before, baseline)
	}
	return p.showRun(f, doc)
}

// showRun writes the result down, prints the last screen, and makes the exit code. A report that cannot be written takes
// nothing away from the verdict: it is said all the same.
func (p *process) showRun(f *runFlags, doc *reports.Document) error {
	report, saved := p.save(f, doc)
	if saved != nil {
		report = ""
	}
	p.lastWords(doc)
	width, _, color := p.screen(p.Stdout)
	said := heard(reports.Terminal(p.Stdout, doc, report, width, color))
	return p.conclude(errors.Join(saved, said, p.toGitHub(f, doc)), exitCode(doc))
}

// saidLines bounds how much of a service's log is shown on a screen; the report has more.
const saidLines = 12

// lastWords shows what a service that did not come up has said last. One stands for all: they fail alike.
func (p *process) lastWords(doc *reports.Document) {
	for _, s := range doc.Scenarios {
		if !s.Environment || len(s.Log) == 0 {
			continue
		}
		fmt.Fprintf(p.Stderr, "the last words of the service in %s/%s:\n", s.Family, s.Name)
		for _, line := range s.Log[max(0, len(s.Log)-saidLines):] {
			fmt.Fprintln(p.Stderr, reports.Inert("  | "+oneLine(line)))
		}
		return
	}
}

// completeScenarios completes the names of the catalogue, and files.
func completeScenarios(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	all, err := scenarios.Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []string
	for _, s := range all {
		if family := cobra.CompletionWithDesc(s.Family, "a whole family"); strings.HasPrefix(s.Family, begun) && !slices.Contains(out, family) {
			out = append(out, family)
		}
		if strings.HasPrefix(s.Name, begun) {
			out = append(out, cobra.CompletionWithDesc(s.Name, s.Title))
		}
	}
	return out, cobra.ShellCompDirectiveDefault
}
