package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/sweep"
)

// sweepFlags are the flags of a sweep beside those of a run.
type sweepFlags struct {
	runFlags
	of     string
	bank   string
	depth  int
	budget time.Duration
	resume bool
	part   shardFlags
	shrink int
	list   bool
}

// furtherTrials are those of an experiment of which nothing could be told, such as one whose fault was not felt.
const furtherTrials = 2

// hostileBank is the bank that forgives nothing: each request that reaches it is a debit.
const hostileBank = "naive"

var bankModes = []string{"dedupe", hostileBank, "refuse"}

// mostDepth bounds the faults of one experiment: three would be more than anybody can wait for.
const mostDepth = 2

func (p *process) sweepCommand() *cobra.Command {
	f := sweepFlags{runFlags: runFlags{repeat: 1, repeatName: "repeat"}}
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Breaks one payment at every place where it can break, one experiment each",
		Long: `Records a clean payment at the proxies, names every message of it, and carries out one experiment for each message and
each kind of fault that fits it: lost, lost in silence, cut, late, delivered twice, the service killed just before or just
after it, stopped past its leases. Then the client tries again, under the same key, and in a second experiment gives up early
and tries under a new one. Everything is healed, and all checks judge. Nothing has to be written for that, and nothing has
to be built into the service.

What goes on without a payment too, such as polls and heart-beats, is left out, and listed. Each experiment is a scenario;
those that were carried out are files in the folder sweep of --out, and onedebit run FILE carries one out again. Of failures
the least that still fails is found and written beside them.

Exit codes: 0 all pass, 1 an invariant is broken, 2 usage, 3 inconclusive, 4 the environment, 130 interrupted.`,
		Example: "  onedebit sweep\n  onedebit sweep --mutant effect-and-mark-split\n  onedebit sweep --target my.yaml --budget 10m\n  onedebit sweep --of refund --list\n  onedebit sweep --depth 2 --budget 10m",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.sweep(cmd, &f) },
	}
	f.add(cmd)
	f.addFormats(cmd)
	f.part.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.of, "of", "pay", "what is swept: "+strings.Join(sweep.FlowNames(), ", "))
	fs.StringVar(&f.bank, "bank", hostileBank, "what a repeated trade number gets at the bank: naive (another debit), dedupe (the first answer) or refuse; with --target it is as the file says")
	fs.IntVar(&f.depth, "depth", 1, "2: pairs of faults too, behind all single ones")
	fs.DurationVar(&f.budget, "budget", 0, "begin nothing after this time, such as 10m; the most telling experiments come first")
	fs.BoolVar(&f.resume, "resume", false, "go on with the sweep whose result is in --out: what was told there is not tried again")
	fs.IntVar(&f.shrink, "shrink", 3, "of how many different failures the least scenario is looked for")
	fs.BoolVar(&f.list, "list", false, "record, print the points and the experiments, and break nothing")
	fs.BoolVar(&f.failFast, "fail-fast", false, "begin nothing new after the first failure")
	complete(cmd, "of", sweep.FlowNames())
	complete(cmd, "bank", bankModes)
	f.addTarget(cmd)
	f.addMutant(cmd)
	return cmd
}

// check refuses what no sweep can be made of.
func (f *sweepFlags) check() error {
	switch {
	case !slices.Contains(bankModes, f.bank):
		return usage{errors.New(decode.UnknownName("mode of the bank", f.bank, bankModes))}
	case f.depth < 1 || f.depth > mostDepth:
		return usage{fmt.Errorf("--depth %d: choose 1 or %d", f.depth, mostDepth)}
	case f.budget < 0:
		return usage{fmt.Errorf("--budget %s is negative", f.budget)}
	case f.shrink < 0:
		return usage{fmt.Errorf("--shrink %d is negative", f.shrink)}
	}
	return nil
}

// sweep is the whole of a sweep: record, plan, carry out, shrink, show.
func (p *process) sweep(cmd *cobra.Command, f *sweepFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if _, err := p.formats(&f.runFlags); err != nil {
		return err
	}
	before, err := f.before(cmd)
	if err != nil {
		return err
	}
	o, err := p.options(&f.runFlags, cmd, nil)
	if err != nil {
		return err
	}
	if o.Target.Dir != "" && !cmd.Flags().Changed("bank") {
		f.bank = "" // a service of one's own has the bank that its file describes
	}
	flow, err := sweep.FlowNamed(f.of, f.bank, o.Target)
	if err != nil {
		return usage{err}
	}
	if before != nil && before.Target != o.Target.Name {
		return usage{fmt.Errorf("--resume: the result in %s is of target %s, and this is %s", f.out, before.Target, o.Target.Name)}
	}
	o.Mutant = f.mutant
	plan, err := p.planned(cmd.Context(), f, o, flow)
	if err != nil {
		return err
	}
	if f.list {
		return p.listPlan(plan)
	}
	o.Jobs = plan.Jobs(f.mutant)
	if err := p.shard(&f.part, cmd, &o); err != nil {
		return err
	}
	o.Unclear, o.Budget, o.Beside = furtherTrials, f.budget, before != nil
	o.Jobs, before = untold(o.Jobs, before)
	doc, err := p.carryOut(cmd.Context(), &f.runFlags, o, f.title(&o))
	if err != nil {
		return err
	}
	doc.Sweep = plan.Report()
	addBefore(doc, before)
	if err := keepScenarios(f.out, plan, doc); err != nil {
		p.complain(err)
	}
	if err := p.shrink(cmd.Context(), f, o, plan, doc); err != nil {
		p.complain(err)
	}
	return p.showRun(&f.runFlags, doc)
}

func (f *sweepFlags) title(o *scenarios.Options) string {
	who := o.Target.Name
	if f.mutant != "" {
		who = f.mutant
	}
	return fmt.Sprintf("onedebit sweep · %s of %s · %s · seed %d · %g×", f.of, who, o.Runtime.Name, o.Seed, o.Speed)
}

// planned records what is to be swept and writes the experiments.
func (p *process) planned(ctx context.Context, f *sweepFlags, o scenarios.Options, flow *sweep.Flow) (*sweep.Plan, error) {
	progress := p.progress(&f.runFlags, "recording "+flow.Doc, 1)
	o.Progress = progress
	records, err := sweep.Take(ctx, o, []sweep.Subject{{Flow: flow, Mutant: f.mutant}})
	progress.close()
	if err != nil {
		return nil, err
	}
	plan, err := sweep.NewPlan(records[0], f.depth)
	if err != nil {
		return nil, err
	}
	for _, e := range plan.Experiments {
		e.Scenario.File = filepath.Join(f.out, sweepFolder, e.Scenario.Name+".yaml")
	}
	return plan, nil
}

// sweepFolder is where in the folder of the output the scenarios of a sweep are.
const sweepFolder = "sweep"

// before is the result that a sweep goes on with, or nil. The seed is taken from it.
func (f *sweepFlags) before(cmd *cobra.Command) (*reports.Document, error) {
	if !f.resume {
		return nil, nil
	}
	doc, err := reports.Load(filepath.Join(f.out, reports.JSON.File))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil // nothing was told yet
	case err != nil:
		return nil, usage{fmt.Errorf("--resume: %w", err)}
	case doc.Sweep == nil || doc.Sweep.Of != f.of || doc.Mutant != f.mutant || doc.Runtime != f.runtime || doc.Speed != f.speed:
		return nil, usage{fmt.Errorf("--resume: the result in %s is not of this sweep; choose another --out, or leave --resume out", f.out)}
	case cmd.Flags().Changed("seed") && f.seed != doc.Seed:
		return nil, usage{fmt.Errorf("--resume: the result in %s is of seed %d", f.out, doc.Seed)}
	}
	return doc, cmd.Flags().Set("seed", fmt.Sprint(doc.Seed))
}

// untold are the experiments of which nothing was told before, and the result before without all that is tried again. Told was
// only what is written down there in the very words in which it would be carried out now: the same point under another name of
// the bank's mode, say, is another experiment.
func untold(jobs []scenarios.Job, before *reports.Document) ([]scenarios.Job, *reports.Document) {
	if before == nil {
		return jobs, nil
	}
	told := map[string]bool{}
	left := slices.DeleteFunc(jobs, func(j scenarios.Job) bool {
		s := j.Scenario
		written, err := os.ReadFile(s.File)
		told[s.Name] = err == nil && string(written) == s.Source && slices.ContainsFunc(before.Scenarios, func(was reports.Scenario) bool {
			return was.Name == s.Name && was.Verdict != reports.Inconclusive
		})
		return told[s.Name]
	})
	before.Scenarios = slices.DeleteFunc(before.Scenarios, func(s reports.Scenario) bool { return !told[s.Name] })
	return left, before
}

// addBefore adds to a result what an earlier part of the same sweep has told.
func addBefore(doc, before *reports.Document) {
	if before == nil {
		return
	}
	doc.Scenarios = append(doc.Scenarios, before.Scenarios...)
	doc.Money.Add(before.Money)
	doc.Clean += before.Clean
	doc.DurationMS += before.DurationMS
	doc.Summary, doc.Verdict = reports.Summarise(doc.Scenarios)
}

// keepScenarios writes the scenarios that were carried out, for whoever wants to carry one out again.
func keepScenarios(out string, plan *sweep.Plan, doc *reports.Document) error {
	tried := map[string]bool{}
	for _, s := range doc.Scenarios {
		tried[s.Name] = true
	}
	err := os.RemoveAll(filepath.Join(out, sweepFolder)) // beside a new result older ones would tell of another
	if err = errors.Join(err, os.MkdirAll(filepath.Join(out, sweepFolder), 0o755)); err != nil {
		return fmt.Errorf("writing the scenarios of the sweep: %w: %w", stack.ErrNotUp, err)
	}
	for _, e := range plan.Experiments {
		if !tried[e.Scenario.Name] {
			continue
		}
		if err := os.WriteFile(e.Scenario.File, []byte(e.Scenario.Source), 0o644); err != nil {
			return fmt.Errorf("writing the scenarios of the sweep: %w: %w", stack.ErrNotUp, err)
		}
	}
	return nil
}

// listPlan prints what a sweep would do.
func (p *process) listPlan(plan *sweep.Plan) error {
	var b strings.Builder
	for i, point := range plan.Record.Points {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, oneLine(point.String()))
	}
	for _, l := range plan.Record.Left {
		fmt.Fprintf(&b, "left out, %s: %s, %d times: %s\n", l.Link, oneLine(l.Label), l.Times, l.Why)
	}
	fmt.Fprintf(&b, "%d points, %d experiments:\n", len(plan.Record.Points), len(plan.Experiments))
	for _, e := range plan.Experiments {
		fmt.Fprintf(&b, "%s\n", e.Scenario.Name)
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return heard(err)
}
