package fakebank

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBarrierLetsCopiesGoTogether(t *testing.T) {
	f := start(t, func(c *Config) { c.Mode = Naive })
	id := f.arm(object{"kind": barrier.Name, "copies": 20, "within": time.Hour})
	for round := 1; round <= 2; round++ {
		var all []<-chan reply
		for range 19 {
			all = append(all, f.later("T1"))
		}
		other := f.later("T2", object{"account": "B"})
		require.Equal(t, 20, f.wait(id, "holding=20").Holding)
		require.Equal(t, round-1, f.wait(id, "timeout_ns=0&fired=1000").Fired, "a barrier fires when it is complete")
		for _, one := range all {
			require.Empty(t, one)
		}
		require.Len(t, f.ledger(kindDebit), round*21-1, "each must have acted")
		require.Equal(t, 200, f.debit("T1").status)
		for _, one := range all {
			require.Equal(t, 200, receive(t, one).status)
		}
		require.Empty(t, other, "another account waits for its own copies")
		require.Equal(t, round, f.wait(id, "fired=1").Fired)
		f.rule("POST", "behaviours/"+id+"/release", nil)
		receive(t, other)
	}
}

func TestBarrierOutOfTimeHasNotFired(t *testing.T) {
	clock := newFakeClock()
	f := start(t, func(c *Config) { c.Clock = clock })
	id := f.arm(object{"kind": barrier.Name, "copies": 3, "within": time.Second})
	first := f.later("T1")
	assert.Equal(t, time.Second, receive(t, clock.asked))
	clock.advance(600 * time.Millisecond)
	second := f.later("T1")
	assert.Equal(t, 400*time.Millisecond, receive(t, clock.asked), "the time runs from the first copy")
	clock.advance(400 * time.Millisecond)
	assert.Equal(t, 200, receive(t, first).status)
	assert.Equal(t, 200, receive(t, second).status)
	c := f.counters(f.rule("GET", "behaviours/"+id, nil))
	assert.Equal(t, 0, c.Fired)
	assert.Equal(t, 2, c.Matched)
}

func TestBarrierDoesNotCountWhoLeft(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": barrier.Name, "copies": 2, "within": time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan reply, 1)
	go func() { left <- f.send(ctx, "POST", f.api.URL+"/v1/debits", debitOf("T1")) }()
	f.wait(id, "holding=1")
	cancel()
	receive(t, left)
	require.Eventually(t, func() bool { return f.status().Held == 0 }, patience, pollEvery)
	second := f.later("T1")
	assert.Equal(t, 1, f.wait(id, "holding=1").Holding)
	assert.Empty(t, second)
	assert.Equal(t, 200, f.debit("T1").status)
	assert.Equal(t, 200, receive(t, second).status)
	assert.Equal(t, 1, f.wait(id, "fired=1").Fired)
}

func TestBarrierRemoved(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": barrier.Name, "copies": 2, "within": time.Hour})
	held := f.later("T1")
	f.wait(id, "holding=1")
	f.rule("DELETE", "behaviours/"+id, nil)
	assert.Equal(t, 200, receive(t, held).status)
	assert.Equal(t, 0, f.counters(f.rule("GET", "behaviours/"+id, nil)).Fired)
}
