package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDelay(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"delay: {link: bank, by: 6s}", "late by 6s: every message answer on link bank"},
		sample{"delay: {link: bank, message: debit, part: request, nth: 2, count: 1, by: 6s}", "late by 6s: debit request number 2 on link bank"})
	positions(t, "delay", ", by: 1s")
	refuses(t,
		sample{"delay: {link: bank}", "s.yaml:1:8: by: say by how much, for example 6s"},
		sample{"delay: {link: bank, by: 6}", `s.yaml:1:25: expected a duration`},
		sample{"delay: {link: bank, by: 6s, part: replay}", `part: unknown part of an exchange "replay"; valid are: answer, request`})

	for _, part := range []string{"request", "answer"} {
		t.Run(part, func(t *testing.T) {
			r := newRig(t)
			a := r.arm("delay: {link: bank, message: debit, part: " + part + ", count: 1, by: 50h}")
			late := r.begin(r.patient())
			r.await(a, 1, 0)
			r.debited()
			require.Empty(t, late)
			r.heal(a, 1)
			require.Equal(t, "SUCCESS", (<-late).Status, "what was delayed goes on")
			r.debited()
			r.felt(a, 1, 0)
		})
	}
}

func TestDelayIsScaled(t *testing.T) {
	r := newRig(t)
	a := r.arm("delay: {link: bank, by: 50s}")
	r.debited()
	r.heal(a, 1)
}
