package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/scenarios/stack"
)

func (p *process) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "clean",
		Short:   "Removes what runs that were killed have left behind",
		Long:    "Removes what runs that were killed have left behind: processes, temporary folders, containers, networks, and databases, keys and queues on\nservers that they shared with others. A run that lives is left alone.",
		Example: "  onedebit clean",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			left, err := stack.Leftovers(cmd.Context(), p.Temp, true)
			var errs []error
			switch {
			case errors.Is(err, stack.ErrNotUp): // who has no engine has nothing there
				fmt.Fprintln(p.Stderr, "onedebit: containers and networks were not looked for:", err)
			case err != nil:
				errs = append(errs, err)
			}
			for _, l := range left {
				if err := l.Clean(cmd.Context()); err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintln(p.Stdout, "removed", leftText(l))
			}
			if len(left) == 0 {
				fmt.Fprintln(p.Stdout, "nothing was left behind")
			}
			return errors.Join(errs...)
		},
	}
}

// leftText names a folder that was left behind, with what else there was.
func leftText(l stack.Left) string {
	var more []string
	for _, what := range []struct {
		n         int
		one, many string
	}{
		{len(l.Processes), "1 process", "processes"}, {l.Containers, "1 container", "containers"}, {l.Networks, "1 network", "networks"},
		{l.Leases, "1 name on a shared server", "names on shared servers"},
	} {
		switch {
		case what.n == 1:
			more = append(more, what.one)
		case what.n > 1:
			more = append(more, fmt.Sprintf("%d %s", what.n, what.many))
		}
	}
	if len(more) == 0 {
		return l.Path
	}
	return l.Path + " and " + strings.Join(more, ", ")
}
