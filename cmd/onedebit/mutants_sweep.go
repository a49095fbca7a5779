package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"onedebit/reference/mutants"
	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/sweep"
)

// bySweep is mutants --by sweep: each mutant on the experiments that a sweep makes by itself, until one fails.
type bySweep struct {
	*process
	flags *runFlags
	o     scenarios.Options
	list  []mutants.Mutant
	named map[string]*scenarios.Scenario
	doc   *reports.BySweep

	mu     sync.Mutex
	killed map[string]bool
}

func (p *process) mutantsBySweep(cmd *cobra.Command, f *runFlags, list []mutants.Mutant, everywhere bool) error {
	o, err := p.options(f, cmd, nil)
	if err != nil {
		return err
	}
	b := &bySweep{process: p, flags: f, o: o, list: list, named: map[string]*scenarios.Scenario{}, killed: map[string]bool{}}
	for _, j := range o.Jobs {
		b.named[j.Scenario.Name] = j.Scenario
	}
	began := p.Now()
	b.doc = &reports.BySweep{Version: reports.Version, Tool: o.Tool, Seed: o.Seed, Speed: o.Speed, Runtime: o.Runtime.Name}
	if err := b.rows(everywhere); err != nil {
		return err
	}
	plans, err := b.plans(cmd.Context())
	if err != nil {
		return err
	}
	if err := b.control(cmd.Context(), plans); err != nil {
		return err
	}
	if err := b.hunt(cmd.Context(), plans); err != nil {
		return err
	}
	b.doc.DurationMS = p.Now().Sub(began).Milliseconds()
	return b.show(cmd.Context().Err() != nil)
}

// rows says of each mutant whether it is tried, and why not.
func (b *bySweep) rows(everywhere bool) error {
	for _, m := range b.list {
		r := reports.BySweepRow{Mutant: m.Name, Doc: m.Doc}
		s := b.named[m.Scenario]
		other, err := sweep.Single(s)
		if err != nil {
			return err
		}
		if !everywhere {
			r.Other = other
		}
		if slices.Contains(s.Needed(), stack.DBLink) && !slices.Contains(b.o.Runtime.Links(b.o.Servers), stack.DBLink) {
			r.Absent = "it takes the link db, which this run has not"
		}
		b.doc.Rows = append(b.doc.Rows, r)
	}
	return nil
}

func (b *bySweep) tries(r reports.BySweepRow) bool { return r.Other == "" && r.Absent == "" }

// plans are the experiments of every flow, with the recordings of the correct reference.
func (b *bySweep) plans(ctx context.Context) ([]*sweep.Plan, error) {
	var subjects []sweep.Subject
	for _, name := range sweep.FlowNames() {
		flow, err := sweep.FlowNamed(name, hostileBank, b.o.Target)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, sweep.Subject{Flow: flow})
	}
	progress := b.progress(b.flags, "recording what is swept", len(subjects))
	b.o.Progress = progress
	records, err := sweep.Take(ctx, b.o, subjects)
	progress.close()
	if err != nil {
		return nil, err
	}
	var out []*sweep.Plan
	for _, r := range records {
		plan, err := sweep.NewPlan(r, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, plan)
	}
	return out, nil
}

// control runs the correct reference, and takes the experiments away that it does not pass: they prove nothing.
func (b *bySweep) control(ctx context.Context, plans []*sweep.Plan) error {
	o := b.o
	o.Jobs, o.Unclear = nil, furtherTrials
	for _, p := range plans {
		o.Jobs = append(o.Jobs, p.Jobs("")...)
	}
	doc, err := b.carryOut(ctx, b.flags, o, "the correct reference")
	if err != nil {
		return err
	}
	b.doc.Control = doc.Summary
	passed := map[string]bool{}
	for _, s := range doc.Scenarios {
		passed[s.Name] = s.Verdict == reports.Pass
	}
	for _, p := range plans {
		p.Experiments = slices.DeleteFunc(p.Experiments, func(e *sweep.Experiment) bool { return !passed[e.Scenario.Name] })
	}
	return nil
}

// hunt runs the mutants, each until an experiment fails with it: the most telling experiments first.
func (b *bySweep) hunt(ctx context.Context, plans []*sweep.Plan) error {
	o := b.o
	o.Jobs, o.Matrix, o.Out = nil, true, ""
	longest := 0
	for _, p := range plans {
		longest = max(longest, len(p.Experiments))
	}
	for i := range longest {
		for _, p := range plans {
			if i >= len(p.Experiments) {
				continue
			}
			for k, r := range b.doc.Rows {
				if b.tries(r) && b.fits(b.list[k], p) {
					o.Jobs = append(o.Jobs, scenarios.Job{Scenario: p.Experiments[i].Scenario, Trial: 1, Mutant: r.Mutant})
				}
			}
		}
	}
	o.Wanted = func(j scenarios.Job) bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return !b.killed[j.Mutant]
	}
	progress := b.progress(b.flags, fmt.Sprintf("onedebit mutants by sweep · %s · seed %d · %g×", o.Runtime.Name, o.Seed, o.Speed), len(o.Jobs))
	o.Progress = &hunter{progress, b}
	doc, err := scenarios.Run(ctx, o)
	progress.close()
	if err != nil {
		return err
	}
	b.tell(doc)
	return nil
}

// hunter learns of each kill as soon as it is made.
type hunter struct {
	progress
	b *bySweep
}

func (h *hunter) End(job scenarios.Job, r *reports.Scenario) {
	if r.Verdict == reports.Fail {
		h.b.mu.Lock()
		h.b.killed[job.Mutant] = true
		h.b.mu.Unlock()
	}
	h.progress.End(job, r)
}

// fits says whether a flow is worth trying with a mutant: refunds only where its own scenario has one, and then only they.
func (b *bySweep) fits(m mutants.Mutant, p *sweep.Plan) bool {
	return strings.Contains(b.named[m.Scenario].Source, "refund:") == (p.Record.Flow.Name == "refund")
}

// tell writes down what became of each mutant.
func (b *bySweep) tell(doc *reports.Document) {
	for i := range b.doc.Rows {
		r := &b.doc.Rows[i]
		for k := range doc.Scenarios {
			s := &doc.Scenarios[k]
			if s.Mutant != r.Mutant {
				continue
			}
			r.Tried++
			if s.Verdict == reports.Fail && r.Killed == "" {
				r.Killed, r.Title, r.Check = s.Name, s.Title, cmp.Or(append(failed(s), "")...)
			}
		}
		if b.tries(*r) && r.Killed == "" {
			r.Why = b.why(b.list[i])
		}
	}
}

// why says why a mutant lives.
func (b *bySweep) why(m mutants.Mutant) string {
	if m.Check == "as-expected" {
		return "no money is wrong with it, and what this service promises besides only a written scenario knows"
	}
	return "the one place of " + m.Scenario + " where it goes wrong is not met by one fault at a message of these flows"
}

func (b *bySweep) show(interrupted bool) error {
	code := exit(exitPass)
	switch {
	case interrupted:
		code = exitInterrupted
	case b.doc.Control.Fail > 0:
		code = exitBroken
	}
	err := errors.Join(reports.SaveBySweep(b.flags.out, b.doc), heard(reports.BySweepText(b.Stdout, b.doc)))
	if err == nil {
		fmt.Fprintf(b.Stdout, "report: %s\n", filepath.Join(b.flags.out, "mutants-by-sweep.md"))
	}
	return b.conclude(err, code)
}
