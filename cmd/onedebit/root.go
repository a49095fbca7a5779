package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"onedebit/reports"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// process is all of the outside world that a command may touch. Only main makes one from the real one.
type process struct {
	Args   []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    []string
	Temp   string
	Now    func() time.Time
	Self   []string // command that runs a role of this binary; the role's name is added

	atEnd []func() error // what is given back when the command has ended
}

// The exit codes. Worst first where more than one would fit: 1 beats 4 beats 3.
const (
	exitPass         = 0
	exitBroken       = 1   // an invariant is broken
	exitUsage        = 2   // a wrong flag, an unknown name, a bad file
	exitInconclusive = 3   // something could not be told, or nothing was judged
	exitEnvironment  = 4   // a port, a folder, a service that does not come up
	exitInterrupted  = 130 // Ctrl-C
)

// exit is an error that only carries an exit code: everything has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usage is a mistake in what was typed or in a file.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// main runs the command line and returns the exit code.
func (p *process) main(ctx context.Context) int {
	defer func() {
		for _, end := range p.atEnd {
			_ = end()
		}
	}()
	root := p.root()
	root.SetArgs(p.Args)
	err := root.ExecuteContext(ctx)
	interrupted := ctx.Err() != nil
	var said exit
	switch {
	case err == nil, errors.As(err, &said):
	case interrupted:
		fmt.Fprintln(p.Stderr, "onedebit: interrupted")
	default:
		p.complain(err)
	}
	return codeOf(err, interrupted)
}

// complain says what is wrong, each error on a line of its own.
func (p *process) complain(err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(p.Stderr, "onedebit:", strings.TrimSuffix(line, "\n"))
	}
}

// codeOf is the one place where errors become exit codes.
func codeOf(err error, interrupted bool) int {
	var code exit
	var bad *decode.Error
	var wrong usage
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &code):
		return int(code)
	case interrupted:
		return exitInterrupted
	case errors.Is(err, stack.ErrNotUp):
		return exitEnvironment
	case errors.As(err, &bad), errors.As(err, &wrong):
		return exitUsage
	default:
		return exitEnvironment
	}
}

// conclude ends a command that has a verdict. Trouble of the environment at the end (a report that cannot be written)
// beats a pass and an inconclusive verdict, and is only said beside a worse one.
func (p *process) conclude(err error, code exit) error {
	switch {
	case err == nil && code == exitPass:
		return nil
	case err == nil:
		return code
	case code == exitPass, code == exitInconclusive:
		return err
	}
	p.complain(err)
	return code
}

// heard is the trouble of printing a result. A reader who has gone, as head does, is none: the verdict is in the reports and
// in the exit code.
func heard(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (p *process) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "onedebit",
		Short: "Breaks payments on purpose and says whether the money is right",
		Long: `onedebit starts a payment service, a fake bank and everything between them, puts a Toxiproxy proxy on every link, and
breaks things on purpose: lost answers, time-outs, retries, duplicate callbacks, redelivered messages, crashes. Then it
joins the bank's ledger with the service's rows and says whether there is exactly one debit and exactly one SUCCESS row.`,
		Example: "  onedebit run\n  onedebit run bank-answer-lost --repeat 20\n  onedebit run --mutant check-then-insert\n  onedebit mutants",
		Version: version(), SilenceErrors: true, SilenceUsage: true,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetVersionTemplate("onedebit {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage{flagError(cmd, err)} })
	root.AddCommand(
		p.runCommand(), p.sweepCommand(), p.mutantsCommand(), p.judgeCommand(), p.reportCommand(), p.traceCommand(),
		p.scenariosCommand(), p.targetsCommand(), p.initCommand(), p.probeCommand(),
		p.listCommand(), p.cleanCommand(), p.doctorCommand(), p.upCommand(), p.manCommand(), p.serveCommand(),
	)
	p.tameDefaults(root)
	return root
}

// tameDefaults makes cobra's own commands refuse wrong words as ours do.
func (p *process) tameDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil || !found.HasSubCommands() {
					return err
				}
				return noArgs(found, rest)
			}
		case "completion":
			c.Args = noArgs
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// noArgs refuses words that are no command, with the nearest command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var valid []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			valid = append(valid, c.Name())
		}
	}
	if len(valid) == 0 {
		return usage{fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(), args[0])}
	}
	return usage{errors.New(decode.UnknownName("command", args[0], valid))}
}

// flagKinds are the kinds of values that flags take, in words.
var flagKinds = map[string]string{
	"int": "a whole number", "uint64": "a whole number from 0", "float64": "a number", "bool": "true or false", "duration": "a duration such as 30s",
	"stringSlice": "names, by commas",
}

// flagError adds the nearest flag to the error about an unknown one, and says in words what a flag takes.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		if kind := flagKinds[flag.Value.Type()]; kind != "" {
			return fmt.Errorf("--%s %s: expected %s; see %s --help", flag.Name, invalid.GetValue(), kind, cmd.CommandPath())
		}
	}
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	var valid []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { valid = append(valid, f.Name) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { valid = append(valid, f.Name) })
	if near := decode.Nearest(name, valid); near != "" {
		return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("unknown flag --%s; see %s --help", name, cmd.CommandPath())
}

// env is the value of an environment variable.
func (p *process) env(name string) string {
	for _, kv := range p.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// Columns of a screen: of one that is no terminal, and below which a terminal is not taken for one.
const (
	usualWidth = 80
	leastWidth = 20
)

// screen says whether a writer is a terminal, how wide it is, and whether colours are wanted on it.
func (p *process) screen(w io.Writer) (width int, terminal, color bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || p.env("TERM") == "dumb" {
		return usualWidth, false, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < leastWidth {
		return usualWidth, false, false // such as a container's terminal that was never given a size: bars would be empty
	}
	return width, true, p.env("NO_COLOR") == ""
}

// exitCode is what a result means for a pipeline. A run of which everything was skipped has shown nothing.
func exitCode(doc *reports.Document) exit {
	environment := doc.Error != ""
	for _, s := range doc.Scenarios {
		environment = environment || s.Environment && s.Verdict != reports.Fail
	}
	switch {
	case doc.Interrupted:
		return exitInterrupted
	case doc.Verdict == reports.Fail && !doc.OnlyKnown():
		return exitBroken
	case environment:
		return exitEnvironment
	case doc.Verdict == reports.Inconclusive, doc.Verdict == reports.Skipped, doc.Summary.Inconclusive > 0:
		return exitInconclusive
	}
	return exitPass
}
