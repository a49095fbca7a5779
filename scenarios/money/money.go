// Package money writes amounts of minor units down, and reads them. Amounts are whole numbers of minor units everywhere; a
// decimal point is for people and for services that send one.
package money

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// digits are how many decimals a currency has, from the list of ISO 4217.
var digits = func() map[string]int {
	m := map[string]int{}
	for n, codes := range map[int]string{
		0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
		2: "AED ARS AUD BDT BRL CAD CHF CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR KES LKR MOP MXN MYR NGN NOK NZD PEN PHP" +
			" PKR PLN QAR RON RUB SAR SEK SGD THB TRY TWD UAH USD ZAR",
		3: "BHD IQD JOD KWD LYD OMR TND",
	} {
		for code := range strings.FieldsSeq(codes) {
			m[code] = n
		}
	}
	return m
}()

// signs are for where a sign means one currency to the reader. JPY has none: a yen that reads as a yuan is wrong by a
// hundred, and nobody would see it.
var signs = map[string]string{"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£"}

// Digits are the decimals of a currency; two where it is not known, as most have.
func Digits(currency string) int {
	if n, known := digits[currency]; known {
		return n
	}
	return 2
}

// Text writes an amount for a reader: ¥5.00, -¥5.00, JPY 500, KWD 5.000. A currency that is not known is not guessed at: 500 minor
// units of ABC. The currency is repeated as it is, not made safe.
func Text(minor int64, currency string) string {
	if _, known := digits[currency]; !known {
		if currency == "" {
			currency = "no currency"
		}
		return fmt.Sprintf("%d minor units of %s", minor, currency)
	}
	sign := signs[currency]
	if sign == "" {
		sign = currency + " "
	}
	decimal := Decimal(minor, currency)
	if number, negative := strings.CutPrefix(decimal, "-"); negative {
		return "-" + sign + number
	}
	return sign + decimal
}

// Sums joins amounts of several currencies in the order of their codes, ¥1.00 and $5.00; zeros are left out, so that it is
// empty where nothing moved.
func Sums(sums map[string]int64) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		if sums[code] != 0 {
			parts = append(parts, Text(sums[code], code))
		}
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// Decimal writes an amount as a decimal number of the unit of the currency: 5.00, 500, 5.000.
func Decimal(minor int64, currency string) string {
	minus, size := "", uint64(minor)
	if minor < 0 {
		minus, size = "-", -size // two's complement: right for the smallest int64 too
	}
	n := Digits(currency)
	text := fmt.Sprintf("%0*d", n+1, size)
	if n == 0 {
		return minus + text
	}
	return minus + text[:len(text)-n] + "." + text[len(text)-n:]
}

// decimals is a decimal number as payments have it. Exponents are none: nobody means 1e9 dollars, and 1e999999999 takes a
// computer's memory.
var decimals = regexp.MustCompile(`^(-?[0-9]{1,19})(?:\.([0-9]{1,18}))?$`)

// Parse reads a decimal number of the unit of the currency as minor units. A fraction of a minor unit is an error.
func Parse(text, currency string) (int64, error) {
	parts := decimals.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("must be a decimal number such as 12.50, not %q", text)
	}
	n, fraction := Digits(currency), strings.TrimRight(parts[2], "0")
	if len(fraction) > n {
		return 0, fmt.Errorf("must have at most %d decimals in %s, not %q", n, currency, text)
	}
	minor, err := strconv.ParseInt(parts[1]+fraction+strings.Repeat("0", n-len(fraction)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("is out of range: %q", text)
	}
	return minor, nil
}
