package mutants_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestLockTTL5s(t *testing.T) {
	contrast(t, "lock-ttl-5s", 2, 1, func(r *rig) int {
		key, release := r.Token("O"), make(chan struct{})
		first := begin(r, pay("O", key), release)
		assert.Equal(r.T, 409, r.Pay(pay("O", key)).HTTP, "a repeat inside the lock")
		assert.Equal(r.T, 1, r.Bank.Calls(referencetest.Debit))
		r.Cache.FastForward(5*time.Second + 500*time.Millisecond)
		r.Pay(pay("O", key))
		close(release)
		assert.Equal(r.T, 200, referencetest.Next(r.T, first).HTTP)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
