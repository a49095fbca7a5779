package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/decode"
)

// Clients that a scenario tells nothing keep to the times that the target says; others to those of the scenario.
func TestWhenClientsTryAgain(t *testing.T) {
	said := []decode.Duration{0, decode.Duration(90 * time.Second)}
	waits := func(r retry, said []decode.Duration) (out []time.Duration) {
		for try := range r.most(said) {
			out = append(out, r.wait(try, said))
		}
		return out
	}
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, waits(usualRetries, nil))
	assert.Equal(t, []time.Duration{0, 90 * time.Second, 90 * time.Second}, waits(usualRetries, said))
	assert.Equal(t, []time.Duration{3 * time.Second, 6 * time.Second}, waits(retry{backoff: 3 * time.Second, max: 2}, said))
	assert.Len(t, waits(usualRetries, make([]decode.Duration, 5)), 5, "every time that the target says is tried")
}
