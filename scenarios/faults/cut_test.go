package faults

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"cut: {link: bank, message: debit}", "cut after half: every debit answer on link bank; the connection is reset"},
		sample{"cut: {link: bank, part: request, nth: 2, count: 1, bytes: 9, how: fin}", "cut after 9 bytes: message request number 2 on link bank; the connection is closed"})
	positions(t, "cut", "")
	refuses(t,
		sample{"cut: {link: bank, bytes: -1}", "s.yaml:1:6: bytes: less than nothing cannot arrive"},
		sample{"cut: {link: bank, part: replay}", `part: unknown part of an exchange "replay"; valid are: answer, request`})
}

func TestCutMessagesAreNotWhole(t *testing.T) {
	for part, acted := range map[string]bool{"request": false, "answer": true} {
		t.Run(part, func(t *testing.T) {
			r := newRig(t)
			a := r.arm("cut: {link: bank, message: debit, count: 1, part: " + part + "}")
			half := r.debit()
			if !acted {
				require.ErrorIs(t, half.err, syscall.ECONNRESET)
			} else {
				require.Error(t, half.err, "half of a header is no header, whatever comes behind it")
				require.Equal(t, "SUCCESS", r.query(half.Trade).Status)
			}
			r.heal(a, 1)
			r.debited()
		})
	}
}
