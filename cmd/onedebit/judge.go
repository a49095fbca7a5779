package main

import (
	"errors"

	"github.com/spf13/cobra"

	"onedebit/reports"
	"onedebit/scenarios"
)

func (p *process) judgeCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "judge FILE…",
		Short: "Judges saved histories again, without carrying anything out",
		Long: `Judges saved histories again and gives the verdict that the run would have given. A history is one experiment with all that was
observed in it, as a run writes it to onedebit-out/history; a FILE that is a folder stands for the histories in it. Nothing
is started, and nothing is written unless --out names a folder for reports.

Exit codes: 0 all pass, 1 an invariant is broken, 2 usage or a file that is no history, 3 inconclusive, 4 the experiment had trouble
with its environment.`,
		Example: "  onedebit judge onedebit-out/history/bank-answer-lost.jsonl\n  onedebit judge onedebit-out/history --out again --format md",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage{errors.New("name the histories to judge, for example onedebit-out/history")}
			}
			if err := given(cmd); err != nil {
				return err
			}
			if _, err := p.formats(&f); err != nil {
				return err
			}
			doc, err := scenarios.JudgeSaved(args, reports.Tool{Name: "onedebit", Version: version()}, commandLine(p.Args), p.Now)
			if err != nil {
				return usage{err}
			}
			if f.out != "" {
				if err := p.usable(f.out); err != nil {
					return err
				}
				return p.showRun(&f, doc)
			}
			width, _, color := p.screen(p.Stdout)
			return p.conclude(heard(reports.Terminal(p.Stdout, doc, "", width, color)), exitCode(doc))
		},
	}
	cmd.Flags().StringVar(&f.out, "out", "", "folder for reports (default: none are written)")
	f.addFormats(cmd)
	return cmd
}
