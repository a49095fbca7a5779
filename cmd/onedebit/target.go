package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/targets"
)

// ownSpeed is by how much durations are shortened with a service of one's own, whose timers are its own.
const ownSpeed = 1

// usualSpeed is the speed where none is asked for.
func usualSpeed(t *targets.Target) float64 {
	if t.Dir != "" {
		return ownSpeed
	}
	return defaultSpeed
}

// addTarget adds the flag that says what is tested.
func (f *runFlags) addTarget(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.target, "target", targets.Reference, "file that describes the service under test (onedebit init writes one)")
}

// addMutant adds the flag that puts a mutant in the place of the bundled target.
func (f *runFlags) addMutant(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.mutant, "mutant", "", "put the reference with one defence wrong in its place (see onedebit list mutants)")
	complete(cmd, "mutant", mutantNames())
}

// chosen is the service under test, and the speed that goes with it where no other is asked for.
func (f *runFlags) chosen(cmd *cobra.Command) (*targets.Target, error) {
	if f.mutant != "" {
		if _, err := mutant(f.mutant); err != nil {
			return nil, err
		}
		if f.target != "" && f.target != targets.Reference {
			return nil, usage{errors.New("--mutant is the bundled reference with one defence wrong: leave out --target or --mutant")}
		}
	}
	t, err := openTarget(cmp.Or(f.target, targets.Reference))
	if err == nil && !cmd.Flags().Changed("speed") {
		f.speed = usualSpeed(t)
	}
	return t, err
}

// openTarget reads a target file, or the bundled one.
func openTarget(file string) (*targets.Target, error) {
	if file == targets.Reference {
		return targets.Bundled(file)
	}
	t, err := targets.ReadFile(file)
	var bad *decode.Error
	if err != nil && !errors.As(err, &bad) {
		err = fmt.Errorf("%w; onedebit init writes one", err)
	}
	if err != nil {
		return nil, usage{err}
	}
	return t, nil
}

func (p *process) targetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "targets",
		Short:   "Shows and validates target files, which describe a service under test",
		Example: "  onedebit targets show reference\n  onedebit targets validate onedebit.yaml\n  onedebit targets schema > target.schema.json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "show TARGET", Short: "Prints the file of a bundled target", Example: "  onedebit targets show reference",
		Args: oneArg("TARGET", targets.Reference), ValidArgs: []string{targets.Reference},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := targets.Text(args[0])
			if err != nil {
				return usage{errors.New(decode.UnknownName("target", args[0], []string{targets.Reference}))}
			}
			_, err = p.Stdout.Write(text)
			return err
		},
	}, &cobra.Command{
		Use: "validate FILE…", Short: "Checks target files and says where they are wrong", Example: "  onedebit targets validate onedebit.yaml",
		RunE: func(_ *cobra.Command, args []string) error { return p.validateTargets(args) },
	}, &cobra.Command{
		Use: "schema", Short: "Prints the JSON schema of target files, for an editor", Example: "  onedebit targets schema > target.schema.json",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.printSchema("target") },
	})
	return cmd
}

// validateTargets checks every file and says what is wrong with each.
func (p *process) validateTargets(files []string) error {
	if len(files) == 0 {
		return usage{errors.New("name the files to validate, for example: onedebit targets validate onedebit.yaml")}
	}
	var errs []error
	for _, file := range files {
		t, err := openTarget(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(p.Stdout, "%s: %s is valid: %s\n", file, t.Name, summary(t))
	}
	return errors.Join(errs...)
}

// summary tells what a target file describes.
func summary(t *targets.Target) string {
	var names []string
	for _, process := range t.Processes {
		names = append(names, process.Name)
	}
	out := "processes " + strings.Join(names, ", ")
	if banks := t.BankNames(); len(banks) > 0 {
		out += "; banks " + strings.Join(banks, ", ")
	}
	if links := t.LinkNames(); len(links) > 0 {
		out += "; links " + strings.Join(links, ", ")
	}
	return out
}
