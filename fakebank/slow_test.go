package fakebank

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSlowActsAtOnceAndAnswersLate(t *testing.T) {
	clock := newFakeClock()
	f := start(t, func(c *Config) { c.Clock = clock })
	id := f.arm(object{"kind": slow.Name, "delay": 5 * time.Second, "count": 1})
	late := f.later("T1")
	assert.Equal(t, 5*time.Second, receive(t, clock.asked))
	assert.Equal(t, 1, f.wait(id, "fired=1&holding=1").Holding)
	assert.Equal(t, Success, f.query("T1").field(t, "status"), "it must have acted")
	clock.advance(4999 * time.Millisecond)
	assert.Empty(t, late)
	assert.Empty(t, f.ledger(kindAnswer)[1:], "only the query was answered")
	clock.advance(time.Millisecond)
	assert.Equal(t, Success, receive(t, late).field(t, "status"))
	assert.Equal(t, Success, f.debit("T2").field(t, "status"), "count 1 has run out")
}

func TestSlowAnswerThatNobodyWaitsFor(t *testing.T) {
	f := start(t)
	id := f.arm(object{"kind": slow.Name, "delay": time.Hour})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan reply, 1)
	go func() { done <- f.send(ctx, "POST", f.api.URL+"/v1/debits", debitOf("T")) }()
	f.wait(id, "holding=1")
	cancel()
	assert.Error(t, receive(t, done).err)
	assert.Eventually(t, func() bool { return f.status().InFlight == 0 }, patience, time.Millisecond)
	lines := f.ledger(kindAnswer)
	assert.Len(t, lines, 1)
	assert.Equal(t, 0, lines[0].HTTP)
	assert.Contains(t, lines[0].Detail, "caller went away")
}
