package dialects

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
)

// Ways in which an amount may be written. In a form all of them are text.
const (
	minor       = "minor"        // 1250: a whole number of minor units
	minorText   = "minor-text"   // "1250"
	decimal     = "decimal"      // 12.50
	decimalText = "decimal-text" // "12.50"
)

var writings = []string{minor, minorText, decimal, decimalText}

// Amount is where an amount stands and how it is written: body.amount, or {at: body.amount, as: decimal}.
type Amount struct {
	At Source `yaml:"at"`
	As string `yaml:"as"`
}

// DecodeNode reads an amount.
func (a *Amount) DecodeNode(f *decode.File, n *yaml.Node) error {
	a.As = minor
	if n.Kind == yaml.ScalarNode {
		return f.Decode(n, &a.At)
	}
	type plain Amount
	if err := f.Decode(n, (*plain)(a)); err != nil {
		return err
	}
	if !slices.Contains(writings, a.As) {
		return f.Unknown(n, "way to write an amount", a.As, writings)
	}
	if !a.At.given() {
		return f.Errorf(n, "at is missing: say where the amount stands, such as body.amount")
	}
	return nil
}

// exponents are the currencies that do not have two decimals, from the list of ISO 4217.
var exponents = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0, "VND": 0, "VUV": 0,
	"XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

func exponent(currency string) int {
	if n, ok := exponents[currency]; ok {
		return n
	}
	return 2
}

var (
	digits   = regexp.MustCompile(`^-?[0-9]{1,19}$`)
	decimals = regexp.MustCompile(`^-?[0-9]{1,15}(?:\.[0-9]{1,6})?$`)
)

// read is the amount in minor units. Nothing there is 0 where the source permits it.
func (a *Amount) read(v view, currency string) (int64, error) {
	found := a.At.value(v)
	field := a.At.field("amount")
	if (found == nil || found == "") && a.At.optional {
		return 0, nil
	}
	text, err := a.text(field, found, v.form)
	if err != nil {
		return 0, err
	}
	n, err := parseMinor(text, a.As, currency)
	if err != nil {
		return 0, fmt.Errorf("%s %w", field, err)
	}
	return n, fakebank.CheckAmount(field, n)
}

// text is the amount as it is written, if it is of the kind that it has to be.
func (a *Amount) text(field string, found any, form bool) (string, error) {
	wanted := map[string]string{minor: "a whole number", minorText: "digits in a string", decimal: "a number", decimalText: "a decimal number in a string"}[a.As]
	switch v := found.(type) {
	case nil:
		return "0", nil // worded by the check of the amount
	case json.Number:
		if a.As == minor || a.As == decimal {
			return v.String(), nil
		}
	case string:
		if form || a.As == minorText || a.As == decimalText {
			return v, nil
		}
	}
	return "", fmt.Errorf("%s must be %s, not %s", field, wanted, jsonKind(found))
}

func parseMinor(text, as, currency string) (int64, error) {
	if as == minor || as == minorText {
		if !digits.MatchString(text) {
			return 0, fmt.Errorf("must be a whole number, not number %s", text)
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("must be a whole number, not number %s", text)
		}
		return n, nil
	}
	if !decimals.MatchString(text) {
		return 0, fmt.Errorf("must be a decimal number such as 12.50, not %q", text)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	places := exponent(currency)
	if strings.Trim(fraction, "0") != "" && len(strings.TrimRight(fraction, "0")) > places {
		return 0, fmt.Errorf("must have at most %d decimals in %s, not %q", places, currency, text)
	}
	fraction = (fraction + "000")[:places]
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok || !n.IsInt64() || n.Int64() > math.MaxInt64/10 {
		return 0, fmt.Errorf("is out of range: %q", text)
	}
	return n.Int64(), nil
}

// inUnits writes an amount of minor units as a decimal number.
func inUnits(amount int64, currency string) string {
	places := exponent(currency)
	text := fmt.Sprintf("%0*d", places+1, amount)
	if places == 0 {
		return text
	}
	return text[:len(text)-places] + "." + text[len(text)-places:]
}
