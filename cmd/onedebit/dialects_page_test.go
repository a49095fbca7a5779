package main

import (
	"fmt"
	"strings"
	"testing"

	"onedebit/fakebank/dialects"
)

// The table of dialects is what the built-in dialects say.
func TestDialectsPageIsFresh(t *testing.T) {
	var b strings.Builder
	b.WriteString("| dialect | | calls |\n|---|---|---|\n")
	for _, d := range dialects.All() {
		var calls []string
		for _, c := range d.Calls {
			call := "`" + c.On.String() + "`"
			if len(calls) == 0 || calls[len(calls)-1] != call {
				calls = append(calls, call)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Name, cell(d.Title), strings.Join(calls, ", "))
	}
	freshParts(t, "../../fakebank/README.md", map[string]string{"dialects": b.String()})
}
