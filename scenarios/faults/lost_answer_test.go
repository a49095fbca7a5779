package faults

import (
	"context"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLostAnswer(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"lost-answer: {link: bank, message: debit}", "lost: every debit answer on link bank; the connection is reset"},
		sample{"lost-answer: {link: bank, message: debit, count: 1}", "lost: debit answer number 1 on link bank; the connection is reset"})
	positions(t, "lost-answer", "")
}

func TestLostAnswerToARequestThatWasActedOn(t *testing.T) {
	for how, want := range map[string]error{"reset": syscall.ECONNRESET, "fin": io.EOF, "silence": context.Canceled} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			a := r.arm("lost-answer: {link: bank, message: debit, how: " + how + "}")
			ctx, giveUp := context.WithCancel(r.patient())
			answer := r.begin(ctx)
			r.await(a, 1, 0)
			if how == "silence" {
				giveUp()
			}
			lost := <-answer
			giveUp()
			require.ErrorIs(t, lost.err, want)
			require.Equal(t, "SUCCESS", r.query(lost.Trade).Status, "the bank has acted; queries are not lost")
			r.heal(a, 1)
			r.debited()
			r.felt(a, 1, 0)
		})
	}
}

func TestLostAnswersByPosition(t *testing.T) {
	r := newRig(t)
	a := r.arm("lost-answer: {link: bank, message: debit, nth: 2, count: 2}")
	r.debited()
	require.ErrorIs(t, r.debit().err, syscall.ECONNRESET)
	require.ErrorIs(t, r.debit().err, syscall.ECONNRESET)
	r.debited()
	r.heal(a, 2)

	every := r.arm("lost-answer: {link: bank, message: debit}")
	for range 3 {
		require.ErrorIs(t, r.debit().err, syscall.ECONNRESET)
	}
	r.heal(every, 3)
}
