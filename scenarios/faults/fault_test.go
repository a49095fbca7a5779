package faults

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestKinds(t *testing.T) {
	require.NotEmpty(t, Kinds())
	assert.True(t, slices.IsSorted(Names()))
	for _, k := range Kinds() {
		f, err := read(k.Example)
		if assert.NoError(t, err, "the example of %s", k.Name) {
			assert.NotEmpty(t, f.Text())
		}
		found, ok := Named(k.Name)
		assert.True(t, ok)
		assert.Same(t, k, found)
	}
	Kinds()[0] = nil
	assert.NotNil(t, Kinds()[0], "the list is a copy")
	_, ok := Named("hodl")
	assert.False(t, ok)
}

func TestRegisterRefuses(t *testing.T) {
	whole := Kind{Name: "new", Doc: "d", Example: "e", New: Hold.New}
	for _, edit := range []func(*Kind){
		func(k *Kind) { k.Name = "" }, func(k *Kind) { k.Doc = "" }, func(k *Kind) { k.Example = "" },
		func(k *Kind) { k.New = nil }, func(k *Kind) { k.Name = "hold" },
	} {
		k := whole
		edit(&k)
		assert.Panics(t, func() { register(k) })
	}
	_, ok := Named("new")
	assert.False(t, ok)
}

func TestArmingOnALinkThatIsNotThere(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"hold: {link: nowhere}", "link-down: {link: nowhere}", "toxic: {link: nowhere, type: latency}", "kill: {link: nowhere}"} {
		f, err := read(text)
		require.NoError(t, err)
		_, err = f.Arm(t.Context(), r.env())
		require.ErrorContains(t, err, "arming fault "+r.id+`: this stack has no link "nowhere"; it has bank, cache, callback, client,`)
	}
}

func TestRulesOfWhichOneIsWrongLeaveNoneArmed(t *testing.T) {
	r := newRig(t)
	good := stack.Rule{Match: stack.Match{Dir: history.Request}, Do: stack.Lose{}}
	_, err := armTap(t.Context(), r.env(), stack.BankLink, good, stack.Rule{Match: good.Match})
	require.ErrorContains(t, err, "no action given")
	r.debited()
}

func TestRulesAreFeltTogether(t *testing.T) {
	r := newRig(t)
	a, err := armTap(t.Context(), r.env(), stack.BankLink,
		stack.Rule{Match: stack.Match{Dir: history.Request, Labels: []string{"never"}}, Do: stack.Lose{}},
		stack.Rule{Match: stack.Match{Dir: history.Answer}, Do: stack.Hold{}})
	require.NoError(t, err)
	answer := r.begin(r.patient())
	r.await(a, 0, 1) // the second alone holds something back
	r.givesUpWaiting(a, 0, 2)
	require.NoError(t, a.Release(t.Context()))
	require.Equal(t, "SUCCESS", (<-answer).Status)
	require.NoError(t, a.Heal(t.Context()))
	r.debited()
}
