package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestRefundSumRace(t *testing.T) {
	contrast(t, "refund-sum-race", 2, 1, func(r *rig) int {
		r.PayNew("O")
		arrived, release := make(chan struct{}), make(chan struct{})
		r.Bank.Act(func(op string, n int, _ string) referencetest.Act {
			if op != referencetest.Refund || n != 1 {
				return referencetest.Act{}
			}
			close(arrived)
			return referencetest.Act{Hold: release}
		})
		answers := make(chan reference.Answer, 1)
		go func() { answers <- r.Refund("O", "r1", 300) }()
		referencetest.Next(r.T, arrived)
		r.Refund("O", "r2", 300)
		close(release)
		assert.Equal(r.T, 200, referencetest.Next(r.T, answers).HTTP)
		return len(r.Bank.Refunds(r.Rows("O")[0].TradeNo))
	})
}
