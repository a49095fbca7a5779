package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestKeysAhead(t *testing.T) {
	refuses(t,
		[2]string{"- keys: {count: 0}", "s.yaml:1:9: count: from 1 to 1000"},
		[2]string{"- keys: {count: 1001}", "count: from 1 to 1000"},
		[2]string{"- keys: {cuont: 1}", `unknown key "cuont"; did you mean "count"?`})

	r := newRig(t, "")
	r.run("- keys: {count: 2}\n- keys: {}")
	tokens := r.attempts("A", history.OpToken)
	require.Len(t, tokens, 3, "each step obtains new ones")
	ready := append([]string(nil), r.payments["A"].ready...)
	require.Equal(t, 3, distinct(ready))
	require.ErrorContains(t, r.try("- pay: {same-key: true}"), "payment A has no idempotency key yet", "a key ahead was not used yet")

	r.run("- burst: {copies: 2, keys: fresh}\n- pay: {}\n- pay: {same-key: true}\n- pay: {}")
	assert.Len(t, r.attempts("A", history.OpToken), 4, "only the last pay had to ask for a key")
	pays := r.pays()
	require.Len(t, pays, 5)
	assert.ElementsMatch(t, append(ready[:3:3], ready[2]), keysOf(pays[:4]), "in the order in which they were obtained")
	assert.NotContains(t, ready, pays[4].Key)
}

func TestKeysThatAreNotToBeHad(t *testing.T) {
	r := newRig(t, "key=ok,400")
	require.ErrorContains(t, r.try("- keys: {count: 2}"), "step keys (line 1): no idempotency key to be had")
	assert.Len(t, r.payments["A"].ready, 1, "what was obtained can be used")
}
