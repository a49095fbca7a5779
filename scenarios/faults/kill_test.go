package faults

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKill(t *testing.T) {
	reads(t, nil, sample{"kill: {}", "kill -9 of the service"}, sample{"kill:", "kill -9 of the service"})
	reads(t, []string{"bank"},
		sample{"kill: {link: bank, message: debit}", "kill -9 of the service just before debit answer number 1 on link bank"},
		sample{"kill: {link: bank, message: debit, part: request, nth: 2, when: after}", "kill -9 of the service just after debit request number 2 on link bank"})
	refuses(t,
		sample{"kill: {message: debit}", "s.yaml:1:7: link: say on which link the message is"},
		sample{"kill: {nth: 2}", "link: say on which link the message is"},
		sample{"kill: {link: bank, message: '['}", `message: "[" is not a pattern`},
		sample{"kill: {link: bank, nth: -1}", "nth: -1 is not a position"},
		sample{"kill: {link: bank, count: 2}", "count: a service can be killed once"},
		sample{"kill: {link: bank, part: whole}", `part: unknown part of an exchange "whole"`},
		sample{"kill: {link: bank, when: during}", "when: before or after the message"})
}

func TestKillNow(t *testing.T) {
	r := newRig(t)
	began := len(r.processes())
	a := r.arm("kill: {}")
	require.False(t, r.stack.Services[0].Running())
	require.Error(t, r.alive(r.patient()))
	r.felt(a, 1, 0)
	r.await(a, 1, 0)
	r.heal(a, 1)
	require.NoError(t, r.alive(r.patient()))
	assert.Equal(t, []string{"killed", "exited", "started", "ready"}, r.processes()[began:], "healed twice, started once")
}

func TestKillAtAMessage(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		for _, part := range []string{"request", "answer"} {
			t.Run(when+" "+part, func(t *testing.T) {
				r := newRig(t)
				began := len(r.processes())
				a := r.arm("kill: {link: bank, message: debit, part: " + part + ", nth: 2, when: " + when + "}")
				do := (&kill{When: when}).at(func() {})
				assert.Equal(t, []bool{when == "before", when == "after"}, []bool{do.Before != nil, do.After != nil})
				r.debited()
				r.felt(a, 0, 0)
				require.True(t, r.stack.Services[0].Running())
				r.debited()
				r.await(a, 1, 0)
				// Healing at once must not find the service half dead and leave it so.
				r.heal(a, 1)
				require.NoError(t, r.alive(r.patient()))
				seen := r.processes()[began:]
				if len(seen) > 0 { // healed before the shot: then there is none
					assert.Equal(t, []string{"killed", "exited", "started", "ready"}, seen)
				}
				if when == "before" {
					assert.NotEmpty(t, seen, "the message has not passed before the service was dead")
				}
				r.debited()
				r.debited()
				r.felt(a, 1, 0)
			})
		}
	}
}

func TestKilledServiceIsNotStartedByAFaultThatWasNeverFelt(t *testing.T) {
	r := newRig(t)
	began := len(r.processes())
	a := r.arm("kill: {link: bank, message: close}")
	r.debited()
	r.heal(a, 0)
	assert.Empty(t, r.processes()[began:])
}

func TestKillAfterHealingDoesNothing(t *testing.T) {
	r := newRig(t)
	began := len(r.processes())
	k := &killed{Armed: instant{}, service: r.stack.Services[0]}
	require.NoError(t, k.Heal(context.Background()))
	k.shoot()
	assert.False(t, slices.Contains(r.processes()[began:], "killed"))
	assert.True(t, r.stack.Services[0].Running())
}
