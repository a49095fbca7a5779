package sweep

import (
	"fmt"

	"onedebit/scenarios/stack"
)

// Lateness in real life, in seconds: longer than a caller waits for an answer, and than customers do.
const (
	lateness = 20
	patience = 35
)

// Late lets a message arrive when its sender has given up. It is healed when the time has passed, since healing lets go
// what is kept back.
var Late = register(Kind{
	Name:   "late",
	Doc:    "the message arrives after its sender has given up waiting",
	Weight: 60,
	Write: func(p Point, _ *Flow, name string) (Script, string) {
		by := lateness
		if p.Link == stack.ClientLink {
			by = patience
		}
		return Script{
			Arm:  []string{placed("delay", p, name, fmt.Sprintf(", part: %s, by: %ds", p.Dir, by))},
			Then: []string{fmt.Sprintf("wait: %ds", by+5), "heal: " + name},
		}, ""
	},
})
