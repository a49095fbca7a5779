package faults

import (
	"context"
	"io"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLostRequest(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"lost-request: {link: bank, message: debit}", "lost before delivery: every debit request on link bank; the connection is reset"},
		sample{"lost-request: {link: bank, count: 1, how: silence}", "lost before delivery: message request number 1 on link bank; nothing more comes"})
	positions(t, "lost-request", "")
}

func TestLostRequestNeverArrives(t *testing.T) {
	for how, want := range map[string]error{"reset": syscall.ECONNRESET, "fin": io.EOF, "silence": context.Canceled} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			a := r.arm("lost-request: {link: bank, message: debit, how: " + how + "}")
			ctx, giveUp := context.WithCancel(r.patient())
			answer := r.begin(ctx)
			r.await(a, 1, 0)
			if how == "silence" {
				giveUp()
			}
			lost := <-answer
			giveUp()
			require.ErrorIs(t, lost.err, want)
			require.Equal(t, http.StatusNotFound, r.query(lost.Trade).http, "the bank has never heard of it")
			r.heal(a, 1)
			r.debited()
			r.felt(a, 1, 0)
		})
	}
}
