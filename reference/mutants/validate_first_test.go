package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference/referencetest"
)

func TestValidateFirst(t *testing.T) {
	contrast(t, "validate-first", 402, 200, func(r *rig) int {
		q := referencetest.Request{Order: "O", Key: r.Token("O"), Amount: r.Config.MaxAmount}
		assert.Equal(r.T, 200, r.Pay(q).HTTP)
		return r.Pay(q).HTTP
	})
}
