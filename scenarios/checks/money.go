package checks

import (
	"fmt"
	"strings"
)

// minorDigits are the decimals of the currencies that payments are commonly made in (ISO 4217).
var minorDigits = map[string]int{
	"AED": 2, "AUD": 2, "BRL": 2, "CAD": 2, "CHF": 2, "CNY": 2, "CZK": 2, "DKK": 2, "EUR": 2, "GBP": 2, "HKD": 2, "IDR": 2,
	"ILS": 2, "INR": 2, "MXN": 2, "MYR": 2, "NOK": 2, "NZD": 2, "PHP": 2, "PLN": 2, "SAR": 2, "SEK": 2, "SGD": 2, "THB": 2,
	"TRY": 2, "TWD": 2, "USD": 2, "ZAR": 2,
	"CLP": 0, "ISK": 0, "JPY": 0, "KRW": 0, "PYG": 0, "UGX": 0, "VND": 0, "XAF": 0, "XOF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// symbols are used only where a symbol means one currency to the reader; the yen shares its sign with the yuan.
var symbols = map[string]string{"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£"}

// money writes an amount of minor units for a reader: ¥5.00, JPY 500, KWD 5.000. An unknown currency is not guessed at.
func money(amount int64, currency string) string {
	digits, known := minorDigits[currency]
	if !known {
		if currency == "" {
			currency = "of no currency"
		}
		return fmt.Sprintf("%d minor units %s", amount, currency)
	}
	sign, size := "", uint64(amount)
	if amount < 0 {
		sign, size = "-", -size
	}
	number := fmt.Sprintf("%0*d", digits+1, size)
	if digits > 0 {
		number = number[:len(number)-digits] + "." + number[len(number)-digits:]
	}
	if symbol := symbols[currency]; symbol != "" {
		return sign + symbol + number
	}
	return currency + " " + sign + number
}

// listed joins words the way a sentence does: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// counted writes a number with its noun: 1 debit, 2 debits.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
