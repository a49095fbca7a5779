package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requests are the mistakes that can be made with the requests of the bank that a behaviour concerns.
func requests(t *testing.T, kind, rest string) {
	t.Helper()
	refuses(t,
		sample{kind + ": {on: debt" + rest + "}", `on: unknown request of the bank "debt"; did you mean "debit"?`},
		sample{kind + ": {nth: -2" + rest + "}", "nth: -2 is not a position; the first request is 1"},
		sample{kind + ": {nth: x" + rest + "}", `expected a whole number, found "x"`},
		sample{kind + ": {cuont: 1" + rest + "}", `unknown key "cuont"; did you mean "count"?`},
		sample{kind + ": {count: none" + rest + "}", `expected a whole number from 1, or all, found "none"`},
		sample{kind + ": [debit]", "expected keys and values (on, nth, count"},
	)
}

func TestBankAccept(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-accept: {}", "the bank takes every debit on without a result yet"},
		sample{"bank-accept: {count: 1}", "the bank takes debit number 1 on without a result yet"},
		sample{"bank-accept: {nth: 2}", "the bank takes debit number 2 and all behind it on without a result yet"},
		sample{"bank-accept: {on: any, nth: 2, count: 3}", "the bank takes any number 2 to 4 on without a result yet"})
	requests(t, "bank-accept", "")
	refuses(t, sample{"bank-accept: {on: query}", `on: unknown request of the bank "query"`})

	r := newRig(t)
	a := r.arm("bank-accept: {nth: 2, count: 1}")
	r.debited()
	r.felt(a, 0, 0)
	r.givesUpWaiting(a, 1, 0)
	taken := r.debit()
	require.Equal(t, "PROCESSING", taken.Status)
	r.await(a, 1, 0)
	r.felt(a, 1, 0)
	require.Equal(t, "PROCESSING", r.query(taken.Trade).Status)
	r.debited()
	r.heal(a, 1)

	all := r.arm("bank-accept: {}")
	require.Equal(t, "PROCESSING", r.debit().Status)
	require.Equal(t, "PROCESSING", r.debit().Status)
	r.heal(all, 2)
	r.debited()
	r.felt(all, 2, 0)
}

func TestABehaviourThatTheBankRefusesIsNotArmed(t *testing.T) {
	r := newRig(t)
	_, err := (&bankAccept{atBank{On: "close"}}).Arm(t.Context(), r.env())
	require.ErrorContains(t, err, "arming fault "+r.id+" at the bank: the bank's control API refused POST /control/behaviours: 400")
}
