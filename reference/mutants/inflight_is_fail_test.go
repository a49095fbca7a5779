package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestInflightIsFail(t *testing.T) {
	contrast(t, "inflight-is-fail", reference.Failed, reference.Processing, func(r *rig) reference.Status {
		release, key := make(chan struct{}), r.Token("O")
		first := begin(r, pay("O", key), release)
		repeat := r.Pay(pay("O", key))
		close(release)
		assert.Equal(r.T, 200, referencetest.Next(r.T, first).HTTP)
		return repeat.Status
	}, referencetest.With(quiet))
}
