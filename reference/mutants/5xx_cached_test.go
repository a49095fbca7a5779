package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFiveXXCached(t *testing.T) {
	contrast(t, "5xx-cached", 503, 200, func(r *rig) int {
		key := r.Token("O")
		refuseFirst(r, "SET")
		assert.Equal(r.T, 503, r.Pay(pay("O", key)).HTTP)
		return r.Pay(pay("O", key)).HTTP
	})
}
