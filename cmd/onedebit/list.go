package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onedebit/fakebank/dialects"
	"onedebit/reference/mutants"
	"onedebit/reports"
	"onedebit/scenarios/checks"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/workload"
)

// entry is one kind of a registry as people read it.
type entry struct{ name, doc, example string }

// registries are all kinds of things that onedebit knows, each from its own registry.
var registries = map[string]func() []entry{
	"checks": func() (out []entry) {
		for _, c := range checks.All() {
			out = append(out, entry{c.Name, c.Doc, c.Invariant})
		}
		return out
	},
	"dialects": func() (out []entry) {
		for _, d := range dialects.All() {
			out = append(out, entry{d.Name, d.Title, ""})
		}
		return out
	},
	"faults": func() (out []entry) {
		for _, k := range faults.Kinds() {
			out = append(out, entry{k.Name, k.Doc, k.Example})
		}
		return out
	},
	"formats": func() (out []entry) {
		for _, f := range reports.Formats() {
			out = append(out, entry{f.Name, f.Doc, f.File})
		}
		return out
	},
	"mutants": func() (out []entry) {
		for _, m := range mutants.All() {
			out = append(out, entry{m.Name, m.Doc, "killed by " + m.Scenario + " / " + m.Check})
		}
		return out
	},
	"runtimes": func() (out []entry) {
		for _, r := range stack.Runtimes() {
			out = append(out, entry{r.Name, r.Doc, ""})
		}
		return out
	},
	"steps": func() (out []entry) {
		for _, k := range workload.Kinds() {
			out = append(out, entry{k.Name, k.Doc, k.Example})
		}
		return out
	},
}

func registryNames() []string {
	var out []string
	for name := range registries {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (p *process) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list KIND [NAME…]", Short: "Lists what there is: checks, dialects, faults, formats, mutants, runtimes, steps",
		Example:           "  onedebit list faults\n  onedebit list faults lost-answer",
		ValidArgsFunction: completeKinds,
		Args: func(cmd *cobra.Command, args []string) error {
			return oneArg("KIND", registryNames()...)(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			entries, ok := registries[args[0]]
			if !ok {
				return usage{errors.New(decode.UnknownName("kind", args[0], registryNames()))}
			}
			list, err := named(strings.TrimSuffix(args[0], "s"), entries(), args[1:])
			if err != nil {
				return err
			}
			for _, e := range list {
				fmt.Fprintf(p.Stdout, "%-24s %s\n", e.name, e.doc)
				if e.example != "" {
					fmt.Fprintf(p.Stdout, "%-24s   %s\n", "", e.example)
				}
			}
			return nil
		},
	}
}

// named are the entries of these names, or all where none is named.
func named(kind string, list []entry, names []string) ([]entry, error) {
	if len(names) == 0 {
		return list, nil
	}
	var out []entry
	for _, name := range names {
		i := slices.IndexFunc(list, func(e entry) bool { return e.name == name })
		if i < 0 {
			var valid []string
			for _, e := range list {
				valid = append(valid, e.name)
			}
			return nil, usage{errors.New(decode.UnknownName(kind, name, valid))}
		}
		out = append(out, list[i])
	}
	return out, nil
}

// completeKinds completes the kind, and behind it the names of that kind.
func completeKinds(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) == 0 {
		for _, kind := range registryNames() {
			if strings.HasPrefix(kind, begun) {
				out = append(out, kind)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	if entries, ok := registries[args[0]]; ok {
		for _, e := range entries() {
			if strings.HasPrefix(e.name, begun) && !slices.Contains(args[1:], e.name) {
				out = append(out, cobra.CompletionWithDesc(e.name, e.doc))
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
