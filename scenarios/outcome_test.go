package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestOutcomeTellsOnlyWhatIsNotChance(t *testing.T) {
	one := func(order, trade string, debits int) *told {
		b := tell().payment(order, "CNY", 500)
		b.events[len(b.events)-1].Payment.Label = "A"
		for range debits {
			b.bank(history.LedgerDebit, order, trade, "CNY", 500)
		}
		return b
	}
	first := outcome(one("O-1", "T-1", 1).rest(row("O-1", history.StateSuccess, "T-1", 500)))
	assert.Equal(t, []string{"A: bank debit 500 CNY, row SUCCESS 500 CNY"}, first)
	assert.Equal(t, first, outcome(one("O-2", "T-9", 1).rest(row("O-2", history.StateSuccess, "T-9", 500))), "another order and number")
	assert.Equal(t, []string{"A: bank debit 500 CNY ×2, row SUCCESS 500 CNY"}, outcome(one("O-1", "T-1", 2).rest(row("O-1", history.StateSuccess, "T-1", 500))))
	assert.Nil(t, outcome(history.New(one("O-1", "T-1", 1).events)), "never at rest")
}
