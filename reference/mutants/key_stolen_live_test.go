package mutants_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestKeyStolenLive(t *testing.T) {
	contrast(t, "key-stolen-live", 2, 1, func(r *rig) int {
		key, release := r.Token("O"), make(chan struct{})
		stuck := holdFirst(r, "GET", release)
		answers := make(chan reference.Answer, 1)
		go func() { answers <- r.Pay(pay("O", key)) }()
		referencetest.Next(r.T, stuck)
		r.Cache.FastForward(r.Config.ServiceTimeout.Std() + time.Second)
		assert.Equal(r.T, 200, r.Pay(pay("O", key)).HTTP)
		close(release)
		referencetest.Next(r.T, answers)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet))
}
