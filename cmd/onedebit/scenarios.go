package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios"
	"onedebit/scenarios/targets"
)

func (p *process) scenariosCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "scenarios",
		Short:   "Lists, shows and validates scenarios",
		Example: "  onedebit scenarios list\n  onedebit scenarios show bank-answer-lost > my-scenario.yaml\n  onedebit scenarios validate my-scenario.yaml",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "list [FAMILY…]", Short: "Lists the catalogue", Example: "  onedebit scenarios list callback",
		ValidArgsFunction: completeScenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := scenarios.Find(args)
			if err != nil {
				return usage{err}
			}
			for _, s := range list {
				fmt.Fprintf(p.Stdout, "%-9s %-30s %s\n", s.Family, s.Name, s.Title)
			}
			return nil
		},
	}, &cobra.Command{
		Use: "show SCENARIO", Short: "Prints a scenario's file: the starting point for one's own",
		Example: "  onedebit scenarios show bank-answer-lost", Args: oneArg("SCENARIO"),
		ValidArgsFunction: completeScenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := scenarios.Find(args)
			if err != nil {
				return usage{err}
			}
			for i, s := range list {
				if i > 0 {
					fmt.Fprintln(p.Stdout, "---")
				}
				fmt.Fprintln(p.Stdout, strings.TrimSpace(s.Source))
			}
			return nil
		},
	}, &cobra.Command{
		Use: "validate FILE…", Short: "Checks scenario files and says where they are wrong",
		Example: "  onedebit scenarios validate my-scenario.yaml",
		RunE:    func(_ *cobra.Command, args []string) error { return p.validate(args) },
	}, &cobra.Command{
		Use: "schema", Short: "Prints the JSON schema of scenario files, for an editor", Example: "  onedebit scenarios schema > scenario.schema.json",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.printSchema("scenario") },
	})
	return cmd
}

// validate checks every file and says what is wrong with each.
func (p *process) validate(files []string) error {
	if len(files) == 0 {
		return usage{errors.New("name the files to validate, for example: onedebit scenarios validate my-scenario.yaml")}
	}
	target, err := targets.Bundled(targets.Reference)
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range files {
		s, err := scenarios.ReadFile(file)
		if err == nil {
			err = errors.Join(knownMutants(s), s.Fits(target))
		}
		if err != nil {
			errs = append(errs, usage{err})
			continue
		}
		needs := "nothing"
		if list := s.Needed(); len(list) > 0 {
			needs = strings.Join(list, ", ")
		}
		fmt.Fprintf(p.Stdout, "%s: %s is valid: %d steps, needs %s\n", file, s.Name, len(s.Steps), needs)
	}
	return errors.Join(errs...)
}

// knownMutants checks the mutants that a scenario says it kills.
func knownMutants(s *scenarios.Scenario) error {
	for _, name := range s.Kills {
		if _, err := mutant(name); err != nil {
			return s.At(fmt.Errorf("kills: %w", err), "kills")
		}
	}
	return nil
}

// oneArg asks for exactly one word, and says which ones there are where they are few.
func oneArg(name string, valid ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		from := ""
		if len(valid) > 0 {
			from = " (" + strings.Join(valid, ", ") + ")"
		}
		return usage{fmt.Errorf("%s takes one %s%s, found %d; see %s --help", cmd.CommandPath(), name, from, len(args), cmd.CommandPath())}
	}
}
