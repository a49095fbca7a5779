package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestLockNoExpiry(t *testing.T) {
	contrast(t, "lock-no-expiry", true, false, func(r *rig) (lasting bool) {
		release := make(chan struct{})
		first := begin(r, pay("O", r.Token("O")), release)
		for _, key := range r.Cache.Keys() {
			lasting = lasting || r.Cache.TTL(key) == 0
		}
		close(release)
		assert.Equal(r.T, 200, referencetest.Next(r.T, first).HTTP)
		return lasting
	}, referencetest.With(quiet))
}
