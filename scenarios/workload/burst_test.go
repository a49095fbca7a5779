package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestBurstReads(t *testing.T) {
	refuses(t,
		[2]string{"- burst: {}", "s.yaml:1:10: copies: from 2 to 1000"},
		[2]string{"- burst: {copies: 1}", "copies: from 2 to 1000"},
		[2]string{"- burst: {copies: 1001}", "copies: from 2 to 1000"},
		[2]string{"- burst: {copies: 5, keys: frsh}", `keys: unknown choice of keys "frsh"; did you mean "fresh"?`},
		[2]string{"- burst: {copies: 5, keys: fresh, same-key: true}", "same-key goes with keys: same"})
}

func TestBurstArrivesTogether(t *testing.T) {
	const copies = 8
	r := newRig(t, "")
	met := r.meet(stack.ClientLink, "pay", copies)
	r.run("- burst: {copies: 8}")
	assert.Equal(t, copies, met(), "all copies are under way at once")
	pays := r.pays()
	require.Len(t, pays, copies)
	assert.Equal(t, 1, distinct(keysOf(pays)))
	assert.Equal(t, copies, distinct(column(pays, func(a history.Attempt) int { return a.Try })))
	for _, a := range pays {
		assert.Equal(t, history.Confirmed, a.Outcome, "every copy is answered: %s", a.Error)
		assert.Equal(t, 1, a.Burst)
	}
	var spreads []history.Burst
	for _, e := range r.events() {
		if e.Burst != nil {
			spreads = append(spreads, *e.Burst)
		}
	}
	require.Len(t, spreads, 1)
	passed := r.passed()
	require.Len(t, passed, copies)
	assert.Equal(t, history.Burst{N: 1, Order: r.order("A"), Copies: copies, Spread: passed[copies-1].At - passed[0].At}, spreads[0])
	for _, m := range passed {
		assert.GreaterOrEqual(t, m.At, pays[0].Sent, "no copy was complete before all were let go")
	}
	assert.Len(t, r.ledger("A", history.LedgerRequest), copies, "this shop lets all through, and its bank answers the same again")
}

// passed are the submits of payment A as the client link saw them.
func (r *rig) passed() []history.Event {
	var out []history.Event
	for _, e := range r.events() {
		if m := e.Message; m != nil && m.Link == stack.ClientLink && m.Dir == history.Request && m.Name == "pay" && m.Order == r.order("A") {
			out = append(out, e)
		}
	}
	return out
}

func TestBurstUnderKeys(t *testing.T) {
	r := newRig(t, "")
	r.run("- pay: {}\n- burst: {copies: 3, same-key: true}\n- burst: {copies: 3, keys: fresh}")
	pays := r.pays()
	require.Len(t, pays, 7)
	by := map[int][]string{}
	for _, a := range pays {
		by[a.Burst] = append(by[a.Burst], a.Key)
	}
	assert.Equal(t, 1, distinct(append(by[0], by[1]...)))
	assert.Equal(t, 3, distinct(by[2]))
	assert.NotContains(t, by[2], by[0][0])
	require.ErrorContains(t, r.try("- burst: {of: B, copies: 2, same-key: true}"), "payment B has no idempotency key yet")
}

func TestBurstGivesUp(t *testing.T) {
	r := newRig(t, "pay=hang")
	r.run("- burst: {copies: 3, gives-up: 1s}")
	pays := r.pays()
	require.Len(t, pays, 3)
	for _, a := range pays {
		assert.Equal(t, history.Unknown, a.Outcome)
		assert.Contains(t, a.Error, "i/o timeout")
	}
}

func TestBurstWithoutAService(t *testing.T) {
	r := newRig(t, "")
	err := r.try("- keys: {}\n- fault: {link-down: {link: client}}\n- burst: {copies: 2}")
	require.ErrorContains(t, err, "step burst (line 3): preparing a copy of POST /pay: ")
	require.ErrorContains(t, err, "connection refused")
	assert.Empty(t, r.pays())
}

func TestBurstWhoseConnectionsBreak(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {lost-answer: {link: client, message: pay, nth: 2, count: 1}}\n- burst: {copies: 3}")
	pays := r.pays()
	require.Len(t, pays, 3)
	count := map[history.Outcome]int{}
	for _, o := range outcomes(pays) {
		count[o]++
	}
	assert.Equal(t, map[history.Outcome]int{history.Confirmed: 2, history.Unknown: 1}, count)
}
