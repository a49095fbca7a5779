package checks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		amount   int64
		currency string
		want     string
	}{
		{500, "CNY", "¥5.00"}, {5, "USD", "$0.05"}, {1999, "EUR", "€19.99"}, {500, "JPY", "JPY 500"}, {0, "JPY", "JPY 0"},
		{5000, "KWD", "KWD 5.000"}, {1, "KWD", "KWD 0.001"}, {0, "CNY", "¥0.00"}, {-500, "CNY", "-¥5.00"}, {-1, "KWD", "KWD -0.001"},
		{500, "XXX", "500 minor units XXX"}, {500, "", "500 minor units of no currency"}, {500, "cny", "500 minor units cny"},
		{math.MaxInt64, "USD", "$92233720368547758.07"}, {math.MinInt64, "USD", "-$92233720368547758.08"},
	} {
		assert.Equal(t, c.want, money(c.amount, c.currency))
	}
}

func TestListedAndCounted(t *testing.T) {
	assert.Equal(t, "", listed(nil))
	assert.Equal(t, "a", listed([]string{"a"}))
	assert.Equal(t, "a, b and c", listed([]string{"a", "b", "c"}))
	assert.Equal(t, "1 debit", counted(1, "debit"))
	assert.Equal(t, "0 debits", counted(0, "debit"))
}
