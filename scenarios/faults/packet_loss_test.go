package faults

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

func TestPacketLoss(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"packet-loss: {link: bank, rate: 30%}", "30% of the packets on link bank are lost, both ways"},
		sample{"packet-loss: {link: bank, rate: 0.05}", "5% of the packets on link bank are lost, both ways"},
		sample{"packet-loss: {link: bank, rate: 5%, direction: request}", "5% of the packets on link bank are lost, requests only"},
		sample{"packet-loss: {link: bank, burst: {lose: 3, of: 10}}", "the first 3 of every 10 packets on link bank are lost, both ways"})
	refuses(t,
		sample{"packet-loss: {link: bank, rate: 5%, burst: {lose: 3, of: 10}}", "a burst in its place"},
		sample{"packet-loss: {link: bank, burst: {}}", "a burst in its place"},
		sample{"packet-loss: {link: bank, burst: {lose: 3, of: 2}}", "a burst of 3 out of 2 packets"},
		sample{"packet-loss: {link: bank, burst: {of: 2}}", "a burst of 0 out of 2 packets"},
		sample{"packet-loss: {link: bank, burst: {lose: 1, of: 1001}}", "a burst of 1 out of 1001 packets"},
		sample{"packet-loss: {link: bank, rate: 5%, direction: both}", `direction: unknown direction "both"`},
		sample{"packet-loss: {link: bank}", "s.yaml:1:14: packet-loss needs a link and a rate"},
		sample{"packet-loss: {rate: 30%}", "packet-loss needs a link and a rate"},
		sample{"packet-loss: {link: bank, rate: 0%}", "packet-loss needs a link and a rate"},
		sample{"packet-loss: {link: bank, rate: 30}", `s.yaml:1:33: expected a share such as 30% or 0.3, found "30"`},
		sample{"packet-loss: {link: bank, rate: nan}", `expected a share such as 30% or 0.3, found "nan"`})
}

func TestPacketLossOfAllEndsInAReset(t *testing.T) {
	r := newRig(t)
	a := r.arm("packet-loss: {link: bank, rate: 100%}")
	require.ErrorIs(t, r.debit().err, syscall.ECONNRESET)
	r.await(a, retransmitMost, 0)
	r.heal(a, retransmitMost)
	r.debited()
}

func TestPacketLossIsDelayOnBothWays(t *testing.T) {
	r := newRig(t)
	a := r.arm("packet-loss: {link: bank, rate: 10%}")
	late := map[string]int{}
	for n := 0; late["request"] == 0 || late["answer"] == 0; n++ {
		require.Less(t, n, 300, "requests and answers are late by chance, but not that seldom: %v", late)
		r.debited() // none goes missing
		late = r.late()
	}
	fired, _, err := a.Felt(t.Context())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, fired, late["request"]+late["answer"])
	r.heal(a, fired)
	r.debited()
	r.felt(a, fired, 0)
}

// late counts the messages of each direction that the test's fault has delayed.
func (r *rig) late() map[string]int {
	out := map[string]int{}
	for _, m := range r.stack.Recorder.History().Messages() {
		if m.V.Fault == r.id && m.V.Fate == history.Late {
			out[m.V.Dir]++
		}
	}
	return out
}

// In a burst the first message is late by what three losses in a row cost, and the seven behind it are on time.
func TestPacketLossInABurst(t *testing.T) {
	r := newRig(t)
	a := r.arm("packet-loss: {link: bank, burst: {lose: 3, of: 10}, direction: request}")
	for range 7 {
		r.debited()
	}
	r.felt(a, 3, 0)
	assert.Equal(t, map[string]int{history.Request: 1}, r.late())
	r.debited()
	r.heal(a, 6)
	r.debited()
	r.felt(a, 6, 0)
}

func TestPacketLossByTheKernel(t *testing.T) {
	rate, row := stack.KernelRule{Rate: 0.3}, stack.KernelRule{Burst: stack.Burst{Lose: 3, Of: 10}}
	breaks(t, "packet-loss: {link: bank, rate: 30%}", 0.3, rule{"", 7001, history.Request, rate}, rule{"", 7001, history.Answer, rate})
	breaks(t, "packet-loss: {link: cache, burst: {lose: 3, of: 10}, direction: request}", 0.3, rule{"", 7002, history.Request, row})
}
