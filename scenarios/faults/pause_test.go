package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPause(t *testing.T) {
	reads(t, nil, sample{"pause: {}", "the service stands still"}, sample{"pause:", "the service stands still"})
	reads(t, nil, sample{"pause: {instance: 2}", "instance 2 of the service stands still"})
	refuses(t, sample{"pause: {for: 3s}", `s.yaml:1:9: unknown key "for"; valid are: instance`}, sample{"pause: {instance: -1}", "instance: -1 is none; the first is 1"})

	r := newRig(t)
	require.NoError(t, r.alive(r.patient()))
	began := len(r.processes())
	a := r.arm("pause: {}")
	r.felt(a, 1, 0)
	// A process that is told to stop goes on for a moment.
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		return errors.Is(r.alive(ctx), context.DeadlineExceeded)
	}, awaitSlice, countsTick)
	answer := make(chan error, 1)
	waiting := r.patient()
	go func() { answer <- r.alive(waiting) }()
	r.heal(a, 1)
	require.NoError(t, <-answer, "what was sent meanwhile is answered when it goes on")
	assert.Equal(t, []string{"stopped", "continued"}, r.processes()[began:])
}

func TestPauseOfAServiceThatIsNotThere(t *testing.T) {
	r := newRig(t)
	shot := r.arm("kill: {}")
	_, err := (&pause{}).Arm(t.Context(), r.env())
	require.ErrorContains(t, err, "cannot be stopped: it is not running")
	r.heal(shot, 1)
}
