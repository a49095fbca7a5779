package stack

import (
	"path"
	"slices"
	"strings"

	"onedebit/scenarios/targets"
)

// namer gives a message the name by which the target file calls it, from its label on the wire.
type namer struct {
	patterns []string // the most exact first
	names    map[string]string
}

func newNamer(n targets.Names) *namer {
	out := &namer{names: map[string]string{}}
	for name, patterns := range n {
		for _, pattern := range patterns {
			out.patterns = append(out.patterns, pattern)
			out.names[pattern] = name
		}
	}
	slices.SortFunc(out.patterns, func(a, b string) int {
		if d := strings.Count(a, "*") - strings.Count(b, "*"); d != 0 {
			return d
		}
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

func (n *namer) name(label string) string {
	for _, p := range n.patterns {
		if ok, _ := path.Match(p, label); ok {
			return n.names[p]
		}
	}
	return label
}
