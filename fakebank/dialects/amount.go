package dialects

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/money"
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

var digits = regexp.MustCompile(`^-?[0-9]{1,19}$`)

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
	return money.Parse(text, currency)
}
