package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestQuery(t *testing.T) {
	refuses(t, [2]string{"- query: {key: A}", `unknown key "key"; valid are: of`})

	r := newRig(t, "orders=404,200")
	r.run("- pay: {}\n- query: {}\n- query: {of: A}")
	asked := r.attempts("A", history.OpQuery)
	assert.Equal(t, []int{404, 200}, column(asked, func(a history.Attempt) int { return a.HTTP }))
	assert.Equal(t, []int{1, 2}, column(asked, func(a history.Attempt) int { return a.Try }))
	assert.Equal(t, history.Refused, asked[0].Outcome, "asked once: a query is not tried again")
	assert.Empty(t, asked[0].Key)
	require.ErrorContains(t, r.try("- query: {of: B}"), `step query (line 1): unknown payment "B"`)

	target := r.Stack.Target
	query := target.Payment.Query
	target.Payment.Query = nil
	defer func() { target.Payment.Query = query }()
	require.ErrorContains(t, r.try("- query: {}"), "step query (line 1): the target has no query request")
}
