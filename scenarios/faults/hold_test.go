package faults

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHold(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"hold: {link: bank, message: debit}", "held back: debit answer number 1 on link bank"},
		sample{"hold: {link: bank, part: request, count: all}", "held back: every message request on link bank"})
	positions(t, "hold", "")
	refuses(t, sample{"hold: {link: bank,\n part: ansewr}", `s.yaml:1:7: part: unknown part of an exchange "ansewr"; did you mean "answer"?`})
}

func TestHoldOneAnswer(t *testing.T) {
	r := newRig(t)
	a := r.arm("hold: {link: bank, message: debit}")
	held := r.begin(r.patient())
	r.await(a, 1, 1)
	r.felt(a, 1, 1)
	r.debited() // only the first is held, where the scenario does not say otherwise
	require.Empty(t, held)
	require.NoError(t, a.Release(t.Context()))
	require.Equal(t, "SUCCESS", (<-held).Status)
	r.felt(a, 1, 0)
	r.heal(a, 1)
}

func TestHoldAllUntilHealed(t *testing.T) {
	r := newRig(t)
	a := r.arm("hold: {link: bank, message: debit, part: request, count: all}")
	first := r.begin(r.patient())
	r.await(a, 1, 1)
	require.NoError(t, a.Release(t.Context()))
	require.Equal(t, "SUCCESS", (<-first).Status)
	second := r.begin(r.patient())
	r.await(a, 2, 1) // it is in force still
	r.heal(a, 2)
	require.Equal(t, "SUCCESS", (<-second).Status)
	r.debited()
	r.felt(a, 2, 0)
}

func TestARequestThatIsHeldOutlivesItsSender(t *testing.T) {
	r := newRig(t)
	a := r.arm("hold: {link: bank, message: debit, part: request}")
	ctx, giveUp := context.WithCancel(r.patient())
	gone := r.begin(ctx)
	r.await(a, 1, 1)
	giveUp()
	lost := <-gone
	require.ErrorIs(t, lost.err, context.Canceled)
	require.Equal(t, http.StatusNotFound, r.query(lost.Trade).http)
	r.heal(a, 1)
	require.Eventually(t, func() bool { return r.query(lost.Trade).Status == "SUCCESS" }, awaitSlice, countsTick, "the late packet arrives")
}
