package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/stack"
)

// traceWait bounds asking a stack that is up for its history, and maxTrace what is read of it.
const (
	traceWait = 20 * time.Second
	maxTrace  = 256 << 20
)

func (p *process) traceCommand() *cobra.Command {
	var out, up, format string
	cmd := &cobra.Command{
		Use:   "trace ORDER",
		Short: "Retells one payment from every source, on one time axis",
		Long: `Retells one payment from every source at once, on one time axis: what its clients sent and got, what passed on the links and
what faults made of it, the service's log and rows, the bank's ledger, notifications, the queue.

The order is looked for in all histories of a run, and told from each that knows it; or in a stack that onedebit up keeps up, at the
address that it prints.

Exit codes: 0 it was found, 2 usage or no such order, 4 the stack cannot be reached.`,
		Example: "  onedebit trace O-Y6U679\n  onedebit trace O-Y6U679 --out onedebit-out --format md\n  onedebit trace O-000042 --up http://127.0.0.1:7070",
		Args:    oneArg("ORDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := given(cmd); err != nil {
				return err
			}
			if format != "text" && format != reports.Markdown.Name {
				return usage{fmt.Errorf("--format %s: choose text or md", format)}
			}
			if up != "" && cmd.Flags().Changed("out") {
				return usage{errors.New("--up and --out are two places to look in: choose one")}
			}
			told, err := p.traced(cmd.Context(), args[0], out, up)
			if err != nil {
				return err
			}
			return heard(p.writeTraces(told, format))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&out, "out", "onedebit-out", "folder of the run, or of its histories, or one history")
	fs.StringVar(&up, "up", "", "address of a stack that onedebit up keeps up, in the place of a run")
	fs.StringVar(&format, "format", "text", "text, or md for a page that can be filed")
	complete(cmd, "format", []string{"text", reports.Markdown.Name})
	return cmd
}

// traced finds an order in a run or in a stack that is up.
func (p *process) traced(ctx context.Context, order, out, up string) ([]scenarios.Traced, error) {
	if up != "" {
		told, err := traceUp(ctx, order, up)
		return []scenarios.Traced{told}, err
	}
	path := out
	if found, err := filepath.Glob(filepath.Join(out, "history", "*.jsonl")); err == nil && len(found) > 0 {
		path = filepath.Join(out, "history")
	}
	told, err := scenarios.TraceSaved([]string{path}, order)
	if err != nil {
		return nil, usage{err}
	}
	return told, nil
}

// traceUp asks a stack that is up.
func traceUp(ctx context.Context, order, up string) (told scenarios.Traced, err error) {
	u, err := url.Parse(up)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return told, usage{fmt.Errorf("--up %s: it is no address, such as http://127.0.0.1:7070, as onedebit up prints it", up)}
	}
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath(historyPath).String(), nil)
	if err != nil {
		return told, usage{err}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return told, fmt.Errorf("asking the stack for what happened: %w: %w", stack.ErrNotUp, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxTrace))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, oneLine(string(body[:min(len(body), 300)])))
	}
	if err != nil {
		return told, fmt.Errorf("asking the stack for what happened: %w: %w", stack.ErrNotUp, err)
	}
	if told, err = scenarios.TraceRead(bytes.NewReader(body), order); err != nil {
		return told, usage{err}
	}
	return told, nil
}

// writeTraces writes each telling with the experiment that it is from.
func (p *process) writeTraces(told []scenarios.Traced, format string) error {
	width, _, color := p.screen(p.Stdout)
	for i, t := range told {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		title := "of " + t.Plan.Family + "/" + t.Plan.Scenario
		if t.Plan.Target.Mutant != "" {
			title += " × " + t.Plan.Target.Mutant
		}
		if t.Plan.Trial > 1 {
			title += fmt.Sprintf(", trial %d", t.Plan.Trial)
		}
		title = strings.TrimPrefix(title, "of /")
		var err error
		if format == reports.Markdown.Name {
			err = reports.TraceMarkdown(p.Stdout, t.Order, title)
		} else {
			err = reports.TraceText(p.Stdout, t.Order, title, width, color)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
