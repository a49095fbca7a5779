package fakebank

import (
	"fmt"
	"net/url"
	"unicode"
)

// CheckWord says why a number or name cannot be taken, or nothing: it has to be printable text of 1 to 128 bytes.
func CheckWord(field, value string) error {
	if value == "" || len(value) > 128 {
		return fmt.Errorf("%s must have 1 to 128 bytes", field)
	}
	for _, r := range value {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return fmt.Errorf("%s must be printable text", field)
		}
	}
	return nil
}

// CheckAmount says why an amount cannot be taken, or nothing.
func CheckAmount(field string, amount int64) error {
	if amount <= 0 {
		return fmt.Errorf("%s must be a positive number of minor units, not %d", field, amount)
	}
	return nil
}

// CheckCurrency says why a currency cannot be taken, or nothing.
func CheckCurrency(field, code string) error {
	for _, r := range code {
		if r < 'A' || r > 'Z' {
			code = ""
			break
		}
	}
	if len(code) != 3 {
		return fmt.Errorf("%s must be three capital letters, such as CNY", field)
	}
	return nil
}

// CheckURL says why callbacks cannot go to an address, or nothing. No address is none.
func CheckURL(field, s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || len(s) > 2048 {
		return fmt.Errorf("%s must be an absolute http or https address", field)
	}
	return nil
}
