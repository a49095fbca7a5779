package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func (p *process) probeCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Starts a service, makes three clean payments and tells what its target file lacks; breaks nothing",
		Long: `Starts the service of a target file as a run would, prints how (commands, variables, addresses, host names), makes three clean
payments, and tells what the service answered, what the bank saw and which rows it has. For each thing that is missing it says
what to write in the target file. Nothing is broken, and nothing is judged.

Exit codes: 0 the payments work and a run can begin, 2 usage or a bad file, 4 the service does not come up or a payment does
not work, 130 interrupted.`,
		Example: "  onedebit probe --target onedebit.yaml\n  onedebit probe",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			target, err := f.chosen(cmd)
			if err != nil {
				return err
			}
			rt, run, err := p.stack(&f, cmd, target)
			if err != nil {
				return err
			}
			return p.probe(cmd.Context(), scenarios.Options{
				Target: target, Runtime: rt, Servers: run.Servers, Images: run.Images, Seed: 1 + rand.Uint64N(9_999_999), Speed: f.speed,
				Self: p.Self, Env: p.Env, Temp: p.Temp, Now: p.Now,
			})
		},
	}
	f.addStack(cmd)
	f.addTarget(cmd)
	return cmd
}

// probe starts the target, pays and tells.
func (p *process) probe(ctx context.Context, o scenarios.Options) error {
	p.sweepLeftovers(ctx, o.Runtime == stack.Docker)
	fmt.Fprintf(p.Stdout, "onedebit probe · %s · %s · %g×\n\n", o.Target.Name, o.Runtime.Name, o.Speed)
	h, wrong, err := scenarios.Probe(ctx, o, func(s *stack.Stack) error { return heard(writeStart(p.Stdout, s)) })
	if h == nil {
		return err
	}
	if err != nil || slices.ContainsFunc(wrong, func(e error) bool { return e != nil }) {
		writeLastWords(p.Stderr, h)
	}
	if err != nil {
		return err
	}
	payments, missing := scenarios.Advice(o.Target, h, wrong)
	if err := heard(writeProbe(p.Stdout, h, payments, missing)); err != nil {
		return err
	}
	works := slices.ContainsFunc(payments, func(one scenarios.Paid) bool { return one.Wrong == nil })
	if !works {
		return fmt.Errorf("target %s is not working: no clean payment ends as it ought to: %w", o.Target.Name, stack.ErrNotUp)
	}
	return nil
}

// secretVar is a variable whose value is nobody's business.
var secretVar = regexp.MustCompile(`(?i)(secret|password|passwd|token|_key)[^=]*=`)

// writeStart says how the service was started, and where its parts are.
func writeStart(w io.Writer, s *stack.Stack) error {
	var b strings.Builder
	fmt.Fprintln(&b, "how it was started")
	for _, start := range s.Starts() {
		how := "it ran already"
		if len(start.Command) > 0 {
			how = strings.Join(start.Command, " ")
		}
		fmt.Fprintf(&b, "  %-14s %s\n", start.Name, how)
		if start.Dir != "" {
			fmt.Fprintf(&b, "  %-14s in %s\n", "", start.Dir)
		}
		for _, pair := range start.Env {
			if name, _, _ := strings.Cut(pair, "="); secretVar.MatchString(pair) {
				pair = name + "=***"
			}
			fmt.Fprintf(&b, "  %-14s %s\n", "", pair)
		}
		for _, name := range start.Names {
			fmt.Fprintf(&b, "  %-14s %s\n", "", name)
		}
		if start.Ready != "" {
			fmt.Fprintf(&b, "  %-14s ready when %s answers\n", "", start.Ready)
		}
	}
	fmt.Fprintln(&b, "\nwhere its parts are")
	for _, place := range s.Places() {
		fmt.Fprintf(&b, "  %-28s %s\n", place.What, place.URL)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeProbe says what became of the payments, what each link carried, and what to write where something is missing.
func writeProbe(w io.Writer, h *history.History, payments []scenarios.Paid, missing []scenarios.Missing) error {
	var b strings.Builder
	fmt.Fprintln(&b, "\nclean payments")
	for _, one := range payments {
		mark, rows := "✓", strings.Join(one.Rows, ", ")
		if one.Wrong != nil {
			mark = "✗"
		}
		fmt.Fprintf(&b, "  %s %s: %s (%s); debits at the bank: %d; rows: %s\n", mark, one.Order, one.Answer, one.Outcome, one.Debits, cmp.Or(rows, "none"))
		if one.Wrong != nil {
			fmt.Fprintf(&b, "    %s\n", oneLine(one.Wrong.Error()))
		}
	}
	carried := scenarios.Carried(h)
	fmt.Fprintln(&b, "\nwhat the links carried")
	for _, link := range slices.Sorted(maps.Keys(carried)) {
		fmt.Fprintf(&b, "  %-10s %d messages\n", link, carried[link])
	}
	if carried[stack.BankLink] > 0 {
		fmt.Fprintf(&b, "  the idempotency key of a payment is sent on to the bank: %s\n", map[bool]string{true: "yes", false: "no"}[scenarios.KeysSentOn(h)])
	}
	if len(missing) > 0 {
		fmt.Fprintln(&b, "\nwhat is missing")
	}
	for _, m := range missing {
		fmt.Fprintf(&b, "  ! %s\n    write  %s\n", oneLine(m.What), oneLine(m.Write))
	}
	if len(missing) == 0 {
		fmt.Fprintln(&b, "\nnothing is missing: onedebit run can begin")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLastWords shows the end of the service's log.
func writeLastWords(w io.Writer, h *history.History) {
	lines := h.Log()
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, "the last words of the service:")
	for _, line := range lines[max(0, len(lines)-saidLines):] {
		fmt.Fprintln(w, "  |", oneLine(line.V.Text))
	}
}
