package fakebank

import (
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// Clock is the time that a bank lives in.
type Clock interface {
	Now() time.Time
	// Timer sends once on the channel when d has passed. Stop gives the timer back; it may be called at any time.
	Timer(d time.Duration) (passed <-chan time.Time, stop func())
}

// SystemClock is the machine's own clock.
func SystemClock() Clock { return systemClock{} }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// SeededIDs makes ids from a source of randomness, for Config.NewID: the same source gives the same ids in the same
// order. The source is used under a lock and must not be used elsewhere.
func SeededIDs(source *rand.Rand) func(prefix string) string {
	var mu sync.Mutex
	n := 0
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s%08x%04x", prefix, source.Uint32(), n)
	}
}

// randomIDs are unique also over restarts of the bank, so that a service with a lasting database never meets one twice.
func randomIDs(prefix string) string {
	var b [10]byte
	crand.Read(b[:]) // never fails: the runtime ends the program where the system has no randomness
	return prefix + hex.EncodeToString(b[:])
}
