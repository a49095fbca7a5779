package faults

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankOverlooks(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-overlooks: {}", "the bank finds nothing at every query"},
		sample{"bank-overlooks: {nth: 2, count: 1}", "the bank finds nothing at query number 2"})
	refuses(t, sample{"bank-overlooks: {on: debit}", `on: unknown request of the bank "debit"`})
	r := newRig(t)
	a := r.arm("bank-overlooks: {count: 1}")
	paid := r.debit()
	require.Equal(t, http.StatusNotFound, r.query(paid.Trade).http)
	require.Equal(t, "SUCCESS", r.query(paid.Trade).Status)
	r.heal(a, 1)
}
