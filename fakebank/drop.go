package fakebank

import (
	"fmt"
	"slices"
	"strings"
)

type dropParams struct {
	How string `json:"how"`
}

// Ways to lose an answer.
const (
	dropRST     = "rst"
	dropFIN     = "fin"
	dropSilence = "silence"
)

var drops = []string{dropRST, dropFIN, dropSilence}

// drop acts and never answers, so that the service cannot know.
var drop = register(Kind{Name: "drop", Ops: everyOp,
	Doc: "acts, then never answers; how: rst (default) or fin closes the connection, silence keeps it open until the " +
		"caller goes or the behaviour is released or removed"}, func(p dropParams) (effect, error) {
	if p.How == "" {
		p.How = dropRST
	}
	if !slices.Contains(drops, p.How) {
		return effect{}, fmt.Errorf("how %q: use %s%s", p.How, strings.Join(drops, ", "), nearest(p.How, drops))
	}
	return effect{answer: func(x *exchange, a Answer) {
		x.withhold(a, "dropped by "+p.How)
		if p.How == dropSilence {
			x.armed.park(x.r.Context(), nil)
		} else {
			x.armed.fire()
		}
		x.hang(p.How == dropRST)
	}}, nil
})
