package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestOutboxSplit(t *testing.T) {
	contrast(t, "outbox-split", 0, 1, func(r *rig) int {
		assert.Equal(r.T, reference.Success, r.PayNew("O").Status)
		return r.Count("outbox_event", "1 = 1")
	})
}
