package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankDecline(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-decline: {}", "the bank declines every debit (DECLINED)"},
		sample{"bank-decline: {on: refund, count: 1, reason: LIMIT_EXCEEDED}", "the bank declines refund number 1 (LIMIT_EXCEEDED)"})
	requests(t, "bank-decline", "")
	refuses(t,
		sample{"bank-decline: {on: close}", `on: unknown request of the bank "close"`},
		sample{"bank-decline: {reason: [a]}", "expected text, found a list"})

	r := newRig(t)
	a := r.arm("bank-decline: {reason: INSUFFICIENT_FUNDS}")
	declined := r.debit()
	require.NoError(t, declined.err)
	require.Equal(t, "FAILED", declined.Status)
	require.Equal(t, "FAILED", r.query(declined.Trade).Status)
	r.heal(a, 1)
	r.debited()
	r.felt(a, 1, 0)
}
