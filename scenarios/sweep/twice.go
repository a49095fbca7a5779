package sweep

import (
	"fmt"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Twice delivers a message twice where a network, a bank or a broker may do so.
var Twice = register(Kind{
	Name:   "twice",
	Doc:    "the message is delivered twice, where its protocol allows that",
	Weight: 15,
	Write: func(p Point, f *Flow, name string) (Script, string) {
		switch {
		case p.Dir == history.Answer:
			return Script{}, "nobody waits for a second answer"
		case p.Link == stack.ClientLink && p.Name == f.Request:
			return Script{Drive: f.Copies}, ""
		case p.Link == stack.CallbackLink:
			return Script{Then: []string{"callback: {of: A, copies: 2}"}, Late: true}, ""
		case p.Link == stack.QueueLink && p.Name == f.Event && f.Topic != "":
			return Script{Late: true, Then: []string{
				"await: {of: A, row: [SUCCESS, PARTLY_REFUNDED, REFUNDED], published: true}",
				fmt.Sprintf("fault: {queue-replay: {topic: %q, of: A, times: 1}, as: %s}", f.Topic, name),
			}}, ""
		}
		return Script{}, "its sender sends it once on its connection, and no step sends it for him"
	},
})
