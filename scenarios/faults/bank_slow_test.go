package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankSlow(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-slow: {by: 6s}", "the bank answers every debit only after 6s"},
		sample{"bank-slow: {on: query, by: 6s, count: 1}", "the bank answers query number 1 only after 6s"})
	requests(t, "bank-slow", ", by: 1s")
	refuses(t,
		sample{"bank-slow: {on: debit}", "s.yaml:1:12: by: say by how much, for example 6s"},
		sample{"bank-slow: {by: 0s}", "by: say by how much, for example 6s"},
		sample{"bank-slow: {by: -6s}", "which is negative"})

	r := newRig(t)
	a := r.arm("bank-slow: {by: 50h, count: 1}")
	late := r.begin(r.patient())
	r.await(a, 1, 0)
	require.Empty(t, late)
	r.debited() // the second is on time
	require.Empty(t, late)
	require.NoError(t, a.Heal(t.Context()))
	require.Equal(t, "SUCCESS", (<-late).Status)
	r.heal(a, 1)
}

func TestBankSlowIsScaled(t *testing.T) {
	r := newRig(t)
	a := r.arm("bank-slow: {by: 100s}")
	r.debited()
	r.heal(a, 1)
}
