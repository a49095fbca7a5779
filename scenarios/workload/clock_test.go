package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestClock(t *testing.T) {
	refuses(t, [2]string{"- clock: {}", "s.yaml:1:10: advance: say by how much, for example 25h"})
	r := newRig(t, "")
	before := r.Stack.ClockAhead()
	r.run("[{clock: {advance: 25h}}, {pay: {}}]")
	assert.Equal(t, before+25*time.Hour, r.Stack.ClockAhead())
	var did []string
	for _, e := range r.events() {
		if e.Process != nil {
			did = append(did, e.Process.What)
		}
	}
	assert.Subset(t, did, []string{"killed", "started", "ready"})
	assert.Equal(t, history.Confirmed, r.pays()[0].Outcome)
}
