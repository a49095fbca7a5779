package reports

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{500, "CNY", "¥5.00"},
		{500, "USD", "$5.00"},
		{5, "EUR", "€0.05"},
		{0, "CNY", "¥0.00"},
		{500, "JPY", "JPY 500"},
		{0, "JPY", "JPY 0"},
		{5000, "KWD", "KWD 5.000"},
		{7, "KWD", "KWD 0.007"},
		{-500, "CNY", "-¥5.00"},
		{-5, "JPY", "-JPY 5"},
		{math.MaxInt64, "USD", "$92233720368547758.07"},
		{math.MinInt64, "USD", "-$92233720368547758.08"},
		{500, "ZZZ", "500 ZZZ minor units"},
		{-500, "cny", "-500 cny minor units"},
		{500, "", "500 minor units"},
	} {
		assert.Equal(t, c.want, Amount(c.minor, c.currency))
	}
}

func TestAmounts(t *testing.T) {
	assert.Empty(t, Amounts(nil))
	assert.Empty(t, Amounts(map[string]int64{"CNY": 0}))
	for range 20 {
		assert.Equal(t, "¥5.00, KWD 5.000 and $0.01", Amounts(map[string]int64{"USD": 1, "KWD": 5000, "CNY": 500, "EUR": 0}))
	}
}
