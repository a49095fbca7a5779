package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankGather(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-gather: {copies: 2, within: 5s}", "the bank holds its answers to every debit until 2 have arrived, at most 5s"})
	requests(t, "bank-gather", ", copies: 2, within: 1s")
	refuses(t,
		sample{"bank-gather: {copies: 2}", "s.yaml:1:14: bank-gather needs copies (at least 2) and within"},
		sample{"bank-gather: {within: 5s}", "bank-gather needs copies (at least 2) and within"},
		sample{"bank-gather: {copies: 1, within: 5s}", "bank-gather needs copies (at least 2) and within"},
		sample{"bank-gather: {copies: 3, within: 5s, count: 2}", "count: 2 requests can never be 3 copies"},
		sample{"bank-gather: {copies: 2, within: 5}", `expected a duration such as 250ms, 3s or 10m, found "5"`})
}

func TestBankGatherLetsAllGoTogether(t *testing.T) {
	r := newRig(t)
	a := r.arm("bank-gather: {copies: 2, within: 50h}")
	first := r.begin(r.patient())
	r.await(a, 0, 1)
	require.Empty(t, first, "the first waits for the second")
	r.debited()
	require.Equal(t, "SUCCESS", (<-first).Status)
	r.heal(a, 1)
	r.debited()
	r.felt(a, 1, 0)
}

func TestBankGatherThatNeverFillsIsNotFelt(t *testing.T) {
	r := newRig(t)
	a := r.arm("bank-gather: {copies: 2, within: 50h}")
	alone := r.begin(r.patient())
	r.await(a, 0, 1)
	require.NoError(t, a.Release(t.Context()))
	require.Equal(t, "SUCCESS", (<-alone).Status)
	held := r.begin(r.patient())
	r.await(a, 0, 1)
	r.heal(a, 0)
	require.Equal(t, "SUCCESS", (<-held).Status)

	short := r.arm("bank-gather: {copies: 2, within: 100s}")
	r.debited() // within is over
	r.heal(short, 0)
}
