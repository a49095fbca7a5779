package reports

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// denomination is how one currency is written: what goes before the number, and how many digits are minor units.
// The digits are those of ISO 4217.
type denomination struct {
	sign   string
	digits int
}

// JPY has no sign of its own, because ¥ alone is CNY here and a hundredfold error would go unseen.
var denominations = func() map[string]denomination {
	m := map[string]denomination{"CNY": {"¥", 2}, "USD": {"$", 2}, "EUR": {"€", 2}, "GBP": {"£", 2}}
	plain := func(digits int, codes string) {
		for code := range strings.FieldsSeq(codes) {
			m[code] = denomination{code + " ", digits}
		}
	}
	plain(0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF")
	plain(2, "AED ARS AUD BDT BRL CAD CHF COP CZK DKK EGP HKD HUF IDR ILS INR KES LKR MOP MXN MYR NGN NOK NZD PEN PHP"+
		" PKR PLN QAR RON RUB SAR SEK SGD THB TRY TWD UAH ZAR")
	plain(3, "BHD IQD JOD KWD LYD OMR TND")
	return m
}()

// Amount writes minor units of a currency for people: ¥5.00, $5.00, JPY 500, KWD 5.000. A currency whose digits are not
// known is not guessed at: 500 ABC minor units. The currency is repeated as it is, not made safe.
func Amount(minor int64, currency string) string {
	d, known := denominations[currency]
	if !known {
		return strings.Join(strings.Fields(fmt.Sprintf("%d %s minor units", minor, currency)), " ")
	}
	minus, size := "", uint64(minor)
	if minor < 0 {
		minus, size = "-", -size // two's complement: right for the smallest int64 too
	}
	text := strconv.FormatUint(size, 10)
	if d.digits == 0 {
		return minus + d.sign + text
	}
	if short := d.digits + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	point := len(text) - d.digits
	return minus + d.sign + text[:point] + "." + text[point:]
}

// Amounts joins sums of several currencies in the order of their codes, "$5.00 and ¥1.00"; zeros are left out, so that
// it is empty where nothing moved.
func Amounts(sums map[string]int64) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		if sums[code] != 0 {
			parts = append(parts, Amount(sums[code], code))
		}
	}
	return enumerate(parts)
}

// enumerate joins as a sentence does: "a", "a and b", "a, b and c".
func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
