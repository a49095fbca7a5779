package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestRefundReads(t *testing.T) {
	refuses(t,
		[2]string{"- refund: {amount: -1}", "s.yaml:1:11: amount: from 1 to 9007199254740991"},
		[2]string{"- refund: {copies: 1}", "copies: from 2 to 1000"},
		[2]string{"- refund: {copies: 2, times: 2}", "copies are sent once and at the same instant"},
		[2]string{"- refund: {fresh-ids: true}", "fresh-ids goes with copies"},
		[2]string{"- refund: {times: -1}", "times: from 1"},
		[2]string{"- refund: {retries: {max: 1}}", "retries need a backoff"})
}

func TestRefund(t *testing.T) {
	r := newRig(t, "")
	assert.ErrorContains(t, r.try("- refund: {}"), "a payment begins with its first pay step")
	r.run(`
- pay: {}
- refund: {amount: 60}
- refund: {amount: 70}
- refund: {id: whole}
- refund: {id: by-key, key-of: A, copies: 3}
- query: {refund: whole}
`)
	var meant []history.Refund
	for _, e := range r.events() {
		if e.Refund != nil && e.Refund.Order == r.order("A") {
			meant = append(meant, *e.Refund)
		}
	}
	require.Len(t, meant, 3, "a name that comes again is the same refund")
	assert.Equal(t, []int64{60, 500, 500}, []int64{meant[0].Amount, meant[1].Amount, meant[2].Amount})
	assert.Equal(t, []string{"r1", "whole", "by-key"}, []string{meant[0].Label, meant[1].Label, meant[2].Label})
	assert.Equal(t, r.pays()[0].Key, meant[2].RefundID)
	asked := r.attempts("A", history.OpRefund)
	require.Len(t, asked, 6)
	assert.Equal(t, []int64{60, 70, 500}, []int64{asked[0].Amount, asked[1].Amount, asked[2].Amount})
	assert.Equal(t, meant[0].RefundID, asked[0].RefundID)
	assert.Equal(t, meant[0].RefundID, asked[1].RefundID)
	assert.Equal(t, history.Confirmed, asked[5].Outcome)
	assert.Equal(t, 1, distinct(column(asked[3:], func(a history.Attempt) int { return a.Burst })), "copies are one burst")
	query := r.attempts("A", history.OpQuery)[0]
	assert.Equal(t, meant[1].RefundID, query.RefundID)
	assert.ErrorContains(t, r.try("- query: {refund: hole}"), `unknown refund "hole"; did you mean "whole"?`)
}

func TestRefundsAtOnce(t *testing.T) {
	r := newRig(t, "")
	r.run("[{pay: {}}, {refund: {amount: 60, copies: 4, fresh-ids: true}}]")
	asked := r.attempts("A", history.OpRefund)
	assert.Equal(t, 4, distinct(column(asked, func(a history.Attempt) string { return a.RefundID })))
	assert.Len(t, r.refunds, 4)
}

func TestRefundIsTriedAgain(t *testing.T) {
	r := newRig(t, "refund=504,503,ok")
	r.run("[{pay: {}}, {refund: {amount: 60}}]")
	asked := r.attempts("A", history.OpRefund)
	assert.Equal(t, []history.Outcome{history.Unknown, history.Refused, history.Confirmed}, outcomes(asked))
	assert.Equal(t, 1, distinct(column(asked, func(a history.Attempt) string { return a.RefundID })))
}
