package fakebank

import (
	"math/rand"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// fakeClock moves only when it is told to.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
	asked  chan time.Duration // each timer that was asked for
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Unix(1_700_000_000, 0).UTC(), timers: map[chan time.Time]time.Time{}, asked: make(chan time.Duration, 1000)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	c.timers[ch] = c.now.Add(d)
	c.asked <- d
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, ch)
	}
}

// advance moves the clock and lets every timer go that is due.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for ch, at := range c.timers {
		if !at.After(c.now) {
			ch <- c.now
			delete(c.timers, ch)
		}
	}
}

func TestSystemClock(t *testing.T) {
	passed, stop := SystemClock().Timer(time.Nanosecond)
	defer stop()
	receive(t, passed)
	assert.False(t, SystemClock().Now().IsZero())
}

func TestIDsDiffer(t *testing.T) {
	for name, make := range map[string]func(string) string{"random": randomIDs, "seeded": SeededIDs(rand.New(rand.NewSource(1)))} {
		seen := map[string]bool{}
		for range 1000 {
			id := make("B")
			assert.Equal(t, "B", id[:1], name)
			assert.False(t, seen[id], "%s: %s was given twice", name, id)
			seen[id] = true
		}
	}
}
