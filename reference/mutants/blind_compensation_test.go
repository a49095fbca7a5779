package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestBlindCompensation(t *testing.T) {
	contrast(t, "blind-compensation", 1, 0, func(r *rig) int {
		release := make(chan struct{})
		first := begin(r, pay("O", r.Token("O")), release)
		n := reference.Notification{ID: "N1", TradeNo: r.Rows("O")[0].TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}
		assert.Equal(r.T, 200, r.Notify(n))
		close(release)
		assert.Equal(r.T, reference.Success, referencetest.Next(r.T, first).Status)
		return r.Count("surplus", "1 = 1")
	}, referencetest.With(quiet))
}
