package money

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{500, "CNY", "¥5.00"}, {5, "EUR", "€0.05"}, {1999, "GBP", "£19.99"}, {0, "CNY", "¥0.00"},
		{500, "JPY", "JPY 500"}, {0, "JPY", "JPY 0"}, {5000, "KWD", "KWD 5.000"}, {1, "KWD", "KWD 0.001"},
		{-500, "CNY", "-¥5.00"}, {-1, "KWD", "-KWD 0.001"}, {-5, "JPY", "-JPY 5"}, {7, "HKD", "HKD 0.07"},
		{500, "XXX", "500 minor units of XXX"}, {-500, "cny", "-500 minor units of cny"}, {500, "", "500 minor units of no currency"},
		{math.MaxInt64, "USD", "$92233720368547758.07"}, {math.MinInt64, "USD", "-$92233720368547758.08"},
	} {
		assert.Equal(t, c.want, Text(c.minor, c.currency))
	}
}

func TestSums(t *testing.T) {
	assert.Empty(t, Sums(nil))
	assert.Empty(t, Sums(map[string]int64{"CNY": 0}))
	assert.Equal(t, "¥5.00", Sums(map[string]int64{"CNY": 500, "EUR": 0}))
	for range 20 {
		assert.Equal(t, "¥5.00, KWD 5.000 and $0.01", Sums(map[string]int64{"USD": 1, "KWD": 5000, "CNY": 500, "EUR": 0}))
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		minor          int64
		currency, want string
	}{
		{0, "USD", "0.00"}, {5, "USD", "0.05"}, {1050, "CNY", "10.50"}, {500, "JPY", "500"}, {1, "KWD", "0.001"}, {7, "???", "0.07"},
		{-5, "USD", "-0.05"}, {-1050, "CNY", "-10.50"}, {-5, "JPY", "-5"}, {math.MinInt64, "USD", "-92233720368547758.08"},
	} {
		assert.Equal(t, c.want, Decimal(c.minor, c.currency))
		back, err := Parse(c.want, c.currency)
		require.NoError(t, err)
		assert.Equal(t, c.minor, back)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, currency string
		want           int64
	}{
		{"12.5", "USD", 1250}, {"12", "USD", 1200}, {"12.500000", "USD", 1250}, {"007", "USD", 700}, {"12.000", "JPY", 12}, {"0.001", "KWD", 1},
	} {
		got, err := Parse(c.text, c.currency)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for text, says := range map[string]string{
		"":                     `must be a decimal number such as 12.50, not ""`,
		"12,50":                `must be a decimal number such as 12.50, not "12,50"`,
		"1e2":                  `must be a decimal number such as 12.50, not "1e2"`,
		"1e999999999":          `must be a decimal number such as 12.50, not "1e999999999"`,
		"1/3":                  `must be a decimal number such as 12.50, not "1/3"`,
		".5":                   `must be a decimal number such as 12.50, not ".5"`,
		"+1":                   `must be a decimal number such as 12.50, not "+1"`,
		"0.001":                `must have at most 2 decimals in USD, not "0.001"`,
		"92233720368547758.08": `is out of range: "92233720368547758.08"`,
	} {
		_, err := Parse(text, "USD")
		assert.EqualError(t, err, says)
	}
}
