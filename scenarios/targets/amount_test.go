package targets

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAmountsAsServicesWriteThem(t *testing.T) {
	for _, c := range []struct {
		name     string
		amount   Amount
		currency string
		minor    int64
		want     any
	}{
		{"minor units where nothing is said", Amount{}, "USD", 1250, int64(1250)},
		{"minor units with bounds in units", Amount{Min: "1.00", As: AsInteger}, "USD", 1250, int64(1250)},
		{"decimal by the way of writing", Amount{Min: "10.00"}, "USD", 1250, json.Number("12.50")},
		{"text", Amount{As: AsString}, "USD", 5, "0.05"},
		{"text without decimals", Amount{As: AsString}, "JPY", 500, "500"},
		{"three decimals", Amount{As: AsDecimal}, "KWD", 1234, json.Number("1.234")},
		{"whole units", Amount{As: AsUnits}, "USD", 1200, json.Number("12")},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, c.amount.Validate())
			assert.Equal(t, c.want, c.amount.Written(c.minor, c.currency))
		})
	}
}

func TestLawfulAmounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name           string
		amount         Amount
		low, high      int64
		fit, near      int64
		least, greates int64
	}{
		{"nothing said", Amount{}, 100, 100_000, 29, 29, 100, 100_000},
		{"a minimum", Amount{Min: "10.00", Step: "0.01"}, 1000, 100_900, 500, 1000, 1000, 100_900},
		{"steps", Amount{Min: "100.00", Step: "1.00"}, 10_000, 109_900, 10_050, 10_100, 10_000, 109_900},
		{"a maximum", Amount{Max: "5.00"}, 100, 500, 9_007_199_254_740_991, 500, 100, 500},
		{"whole numbers are minor units", Amount{Min: "5000"}, 5000, 104_900, 1, 5000, 5000, 104_900},
		{"units", Amount{As: AsUnits}, 100, 100_000, 150, 200, 100, 100_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			low, high, step := c.amount.Bounds("USD")
			assert.Equal(t, []int64{c.low, c.high}, []int64{low, high})
			assert.Equal(t, c.near, c.amount.Fit(c.fit, "USD"))
			for range 200 {
				n := c.amount.Draw(rng, "USD")
				assert.True(t, n >= c.least && n <= c.greates && (n-low)%step == 0, n)
				assert.Equal(t, n, c.amount.Fit(n, "USD"), "what is drawn is lawful")
			}
		})
	}
}

func TestAmountsOfServicesAreRead(t *testing.T) {
	decimal, integer := Amount{As: AsDecimal}, Amount{}
	for text, want := range map[string]int64{"12.5": 1250, "12.50": 1250, "-3": -300, "12.5000": 1250} {
		n, err := decimal.read(text, "USD")
		require.NoError(t, err, text)
		assert.Equal(t, want, n, text)
	}
	n, err := integer.read("1250", "USD")
	require.NoError(t, err)
	assert.Equal(t, int64(1250), n)
	for _, bad := range []string{"", "much", "12.505"} {
		_, err := decimal.read(bad, "USD")
		require.Error(t, err, bad)
	}
}
