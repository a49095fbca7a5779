package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestInflightIsSuccess(t *testing.T) {
	contrast(t, "inflight-is-success", 200, 409, func(r *rig) int {
		key, release := r.Token("O"), make(chan struct{})
		first := begin(r, pay("O", key), release)
		code := r.Pay(pay("O", key)).HTTP
		close(release)
		assert.Equal(r.T, 200, referencetest.Next(r.T, first).HTTP)
		return code
	}, referencetest.With(quiet))
}
