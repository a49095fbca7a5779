package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSettle(t *testing.T) {
	refuses(t, [2]string{"- settle: {within: 60}", "s.yaml:1:20: expected a duration"})
	r := newRig(t, "")
	r.run("- settle: {within: 60s}\n- settle: {}")
	assert.Equal(t, []time.Duration{time.Minute, 0}, r.settled, "in real life; 0 leaves it to the target")
}
