package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestWholeRowSave(t *testing.T) {
	contrast(t, "whole-row-save", reference.Processing, reference.Success, func(r *rig) reference.Status {
		arrived, release, answers := make(chan struct{}), make(chan struct{}), make(chan reference.Answer, 1)
		r.Bank.Act(func(string, int, string) referencetest.Act {
			close(arrived)
			return referencetest.Act{Accept: true, Hold: release}
		})
		key := r.Token("O")
		go func() { answers <- r.Pay(pay("O", key)) }()
		referencetest.Next(r.T, arrived)
		n := reference.Notification{ID: "N1", TradeNo: r.Rows("O")[0].TradeNo, Status: "SUCCESS", Amount: 500, Currency: "CNY"}
		assert.Equal(r.T, 200, r.Notify(n))
		assert.Equal(r.T, reference.Success, r.Order("O").Status)
		close(release)
		return referencetest.Next(r.T, answers).Status
	}, referencetest.With(quiet))
}
