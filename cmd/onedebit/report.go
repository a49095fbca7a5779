package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/reports"
)

// reportFlags are those of report.
type reportFlags struct {
	runFlags
	merge, diff bool
	baseline    string
}

func (p *process) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RESULT…",
		Short: "Renders a saved result again, puts the parts of a run together, or compares two runs",
		Long: `Renders a saved result again. A RESULT is a result.json, or the folder of a run in which one is. Without --out nothing is written
but to stdout: the last screen of the run, or what --format names.

With --merge the RESULTs are the parts of one run (see --shard of onedebit run), and what is rendered is the result that one run of
all would have had. Parts of different seeds, versions or targets, and parts that overlap, are refused. Kill matrices of
onedebit mutants are merged in the same way.

With --diff the first RESULT is compared with the second: which failures are new, fixed, and still there, and what is no longer
covered.

Exit codes: those of the run. With --diff 1 where a failure is new, 3 where something is no longer covered, else 0.`,
		Example: "  onedebit report onedebit-out --format md\n  onedebit report --merge part-1 part-2 --out merged\n  onedebit report --diff before after",
		Args:    cobra.ArbitraryArgs, // no name of a result is a mistyped subcommand
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := given(cmd); err != nil {
				return err
			}
			if !cmd.Flags().Changed("format") && f.out == "" {
				f.formats = nil
			}
			if len(f.formats) > 0 {
				if _, err := p.formats(&f.runFlags); err != nil {
					return err
				}
			}
			switch {
			case f.merge && f.diff:
				return usage{errors.New("--merge and --diff are two things: merge first, then compare")}
			case f.out == "" && len(f.formats) > 1:
				return usage{errors.New("several formats need --out, the folder to write them to")}
			case f.diff:
				return p.diff(&f, args)
			case f.merge:
				return p.merge(&f, args)
			case len(args) != 1:
				return usage{fmt.Errorf("name one result, for example onedebit-out, found %d; --merge and --diff take several", len(args))}
			}
			if file, ok := matrixFile(args[0]); ok {
				return p.mergeMatrices(&f, []string{file})
			}
			doc, err := loadResult(args[0])
			if err != nil {
				return err
			}
			return p.showReport(&f, doc, []*reports.Document{doc}, args)
		},
	}
	f.addFormats(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "folder for the reports and the histories (default: none are written)")
	fs.BoolVar(&f.merge, "merge", false, "put the parts of one run together")
	fs.BoolVar(&f.diff, "diff", false, "compare two runs, the earlier first; --format md makes a page of it")
	addBaseline(cmd, &f.baseline)
	cmd.AddCommand(&cobra.Command{
		Use: "schema", Short: "Prints the JSON schema of result.json", Example: "  onedebit report schema > result.schema.json",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return reports.Schema(p.Stdout) },
	})
	return cmd
}

// merge puts the parts of one run together.
func (p *process) merge(f *reportFlags, args []string) error {
	var files []string
	for _, arg := range args {
		if file, ok := matrixFile(arg); ok {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		if len(files) < len(args) {
			return usage{errors.New("results of runs and kill matrices cannot be merged with each other")}
		}
		return p.mergeMatrices(f, files)
	}
	if err := eachOnce(args); err != nil {
		return err
	}
	var parts []*reports.Document
	for _, arg := range args {
		doc, err := loadResult(arg)
		if err != nil {
			return err
		}
		parts = append(parts, doc)
	}
	doc, err := reports.Merge(parts)
	if err != nil {
		return usage{err}
	}
	return p.showReport(f, doc, parts, args)
}

// showReport renders a result that was made of the parts at these paths.
func (p *process) showReport(f *reportFlags, doc *reports.Document, parts []*reports.Document, paths []string) error {
	before, err := baselineOf(f.baseline)
	if err != nil {
		return err
	}
	if before != nil {
		reports.Against(doc, before, f.baseline)
	}
	if f.out != "" {
		if err := p.usable(f.out); err != nil {
			return err
		}
		for i, part := range parts {
			if err := keepHistories(part, filepath.Dir(resultFile(paths[i])), f.out); err != nil {
				return err
			}
		}
		return p.showRun(&f.runFlags, doc)
	}
	if len(f.formats) == 1 {
		formats, err := p.formats(&f.runFlags)
		if err != nil {
			return err
		}
		return p.conclude(heard(formats[0].Render(p.Stdout, doc)), exitCode(doc))
	}
	width, _, color := p.screen(p.Stdout)
	return p.conclude(heard(reports.Terminal(p.Stdout, doc, "", width, color)), exitCode(doc))
}

// mergeMatrices renders a kill matrix, or several parts of one.
func (p *process) mergeMatrices(f *reportFlags, files []string) error {
	if f.baseline != "" {
		return usage{errors.New("a kill matrix has no baseline")}
	}
	var parts []*reports.Matrix
	for _, file := range files {
		m, err := reports.LoadMatrix(file)
		if err != nil {
			return usage{err}
		}
		parts = append(parts, m)
	}
	m := parts[0]
	if f.merge {
		var err error
		if m, err = reports.MergeMatrices(parts); err != nil {
			return usage{err}
		}
	}
	if f.out != "" {
		if err := p.usable(f.out); err != nil {
			return err
		}
		return p.showMatrix(&f.runFlags, m)
	}
	render := func() error {
		width, _, color := p.screen(p.Stdout)
		return reports.MatrixText(p.Stdout, m, width, color)
	}
	switch strings.Join(f.formats, ",") {
	case "":
	case reports.JSON.Name:
		render = func() error { return reports.MatrixJSON(p.Stdout, m) }
	case reports.Markdown.Name:
		render = func() error { return reports.MatrixMarkdown(p.Stdout, m) }
	default:
		return usage{fmt.Errorf("a kill matrix has the formats json and md, not %s", f.formats[0])}
	}
	return p.conclude(heard(render()), exit(m.Code))
}

// diff compares two results.
func (p *process) diff(f *reportFlags, args []string) error {
	if len(args) != 2 {
		return usage{fmt.Errorf("--diff compares two results, the earlier first; found %d", len(args))}
	}
	if f.out != "" || f.baseline != "" {
		return usage{errors.New("--diff writes to stdout, and has no --out and no --baseline")}
	}
	before, err := loadResult(args[0])
	if err != nil {
		return err
	}
	after, err := loadResult(args[1])
	if err != nil {
		return err
	}
	d := reports.Compare(before, after)
	code := exitPass
	switch {
	case len(d.New) > 0:
		code = exitBroken
	case len(d.Uncovered) > 0:
		code = exitInconclusive
	}
	switch strings.Join(f.formats, ",") {
	case "":
		width, _, color := p.screen(p.Stdout)
		err = reports.DiffText(p.Stdout, d, width, color)
	case reports.Markdown.Name:
		err = reports.DiffMarkdown(p.Stdout, d)
	default:
		return usage{fmt.Errorf("a comparison has the format md, not %s", f.formats[0])}
	}
	return p.conclude(heard(err), exit(code))
}
