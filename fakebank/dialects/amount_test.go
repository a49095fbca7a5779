package dialects

import (
	"testing"

	"onedebit/scenarios/money"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAmounts(t *testing.T) {
	for _, tc := range []struct {
		text, as, currency string
		want               int64
		err                string
		back               string
	}{
		{"1250", minor, "CNY", 1250, "", "12.50"},
		{"9223372036854775807", minor, "CNY", 9223372036854775807, "", "92233720368547758.07"},
		{"9223372036854775808", minor, "CNY", 0, "whole number", ""},
		{"12.5", minor, "CNY", 0, "whole number", ""},
		{"12.5", decimal, "CNY", 1250, "", "12.50"},
		{"12.500", decimal, "CNY", 1250, "", "12.50"},
		{"0.01", decimal, "CNY", 1, "", "0.01"},
		{"12.505", decimal, "CNY", 0, "at most 2 decimals", ""},
		{"500", decimalText, "JPY", 500, "", "500"},
		{"500.0", decimalText, "JPY", 500, "", "500"},
		{"1.234", decimal, "KWD", 1234, "", "1.234"},
		{"1e3", decimal, "CNY", 0, "decimal number", ""},
		{".5", decimal, "CNY", 0, "decimal number", ""},
		{"99999999999999999", decimal, "CNY", 0, "out of range", ""},
	} {
		n, err := parseMinor(tc.text, tc.as, tc.currency)
		if tc.err != "" {
			assert.ErrorContains(t, err, tc.err, tc.text)
			continue
		}
		require.NoError(t, err, tc.text)
		assert.Equal(t, tc.want, n, tc.text)
		assert.Equal(t, tc.back, money.Decimal(n, tc.currency))
	}
}
