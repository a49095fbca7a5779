package faults

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBankAnswers(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"bank-answers: {with: html-502}", "the bank answers every debit with html-502 and has done it"},
		sample{"bank-answers: {with: empty-200, deed: not, count: 1}", "the bank answers debit number 1 with empty-200 and does not do it"},
		sample{"bank-answers: {with: truncated, on: refund, deed: later, by: 5s}", "the bank answers every refund with truncated and does it 5s later"})
	requests(t, "bank-answers", ", with: html-502")
	refuses(t,
		sample{"bank-answers: {}", `s.yaml:1:15: with: unknown answer of the bank ""`},
		sample{"bank-answers: {with: html502}", `with: unknown answer of the bank "html502"; did you mean "html-502"?`},
		sample{"bank-answers: {with: html-502, deed: never}", `deed: unknown way of the bank "never"`},
		sample{"bank-answers: {with: html-502, deed: later}", "by: goes with deed: later, for example 5s"},
		sample{"bank-answers: {with: html-502, by: 5s}", "by: goes with deed: later, for example 5s"})

	for with, http := range map[string]int{
		"html-502": http.StatusBadGateway, "json-500": http.StatusInternalServerError, "truncated": http.StatusOK,
		"empty-200": http.StatusOK, "in-progress-409": http.StatusConflict,
	} {
		t.Run(with, func(t *testing.T) {
			r := newRig(t)
			a := r.arm("bank-answers: {with: " + with + ", nth: 1, count: 1}")
			odd := r.debit()
			assert.Equal(t, http, odd.http)
			r.heal(a, 1)
			require.Equal(t, "SUCCESS", r.query(odd.Trade).Status)
			r.debited()
		})
	}
}

func TestTheBankMayNotActOrActLater(t *testing.T) {
	r := newRig(t)
	never := r.arm("bank-answers: {with: json-500, deed: not, count: 1}")
	not := r.debit()
	assert.Equal(t, http.StatusNotFound, r.query(not.Trade).http)
	r.heal(never, 1)
	later := r.arm("bank-answers: {with: json-500, deed: later, by: 1h, count: 1}")
	late := r.debit()
	assert.Equal(t, http.StatusNotFound, r.query(late.Trade).http)
	require.NoError(t, later.Release(r.patient()))
	require.Eventually(t, func() bool { return r.query(late.Trade).Status == "SUCCESS" }, awaitSlice, countsTick)
	r.heal(later, 1)
	assert.Equal(t, http.StatusNotFound, r.query(not.Trade).http)
}
