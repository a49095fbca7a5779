package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGather(t *testing.T) {
	reads(t, []string{"cache"},
		sample{"gather: {link: cache, message: SET, copies: 2}", "kept back until 2 are there: every SET request on link cache"})
	positions(t, "gather", ", copies: 2")
	refuses(t,
		sample{"gather: {link: cache}", "s.yaml:1:9: copies: say how many, at least 2"},
		sample{"gather: {link: cache, copies: 1}", "copies: say how many, at least 2"},
		sample{"gather: {link: cache, copies: 2, part: reqest}", `part: unknown part of an exchange "reqest"; did you mean "request"?`},
		sample{"gather: {link: cache, copies: 3, count: 2}", "count: 2 messages can never be 3 copies"})
}

func TestGatherLetsAllGoTogether(t *testing.T) {
	r := newRig(t)
	a := r.arm("gather: {link: bank, message: debit, copies: 2}")
	first := r.begin(r.patient())
	r.await(a, 0, 1)
	require.Empty(t, first)
	r.debited()
	require.Equal(t, "SUCCESS", (<-first).Status)
	r.await(a, 2, 0)
	r.debited() // it stays open once it was full
	r.heal(a, 2)
	r.debited()
}

func TestGatherThatIsReleasedIsNotFelt(t *testing.T) {
	r := newRig(t)
	a := r.arm("gather: {link: bank, message: debit, copies: 2}")
	alone := r.begin(r.patient())
	r.await(a, 0, 1)
	require.NoError(t, a.Release(t.Context()))
	require.Equal(t, "SUCCESS", (<-alone).Status)
	r.heal(a, 0)
}
