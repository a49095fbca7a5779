package targets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onedebit/scenarios/money"

	"go.yaml.in/yaml/v3"
)

// Ways in which a service writes amounts.
const (
	AsInteger = "integer" // 1250: minor units
	AsUnits   = "units"   // 12: whole units of the currency
	AsDecimal = "decimal" // 12.50
	AsString  = "string"  // "12.50"
)

var writings = []string{AsInteger, AsUnits, AsDecimal, AsString}

// Amount is which amounts a service takes, and how it writes them. Min, max and step are in its own writing; with a point in
// it a number is of the unit of the currency, also where the service counts minor units.
type Amount struct {
	Min    Number `yaml:"min"`
	Max    Number `yaml:"max"`
	Step   Number `yaml:"step"`
	As     string `yaml:"as"`     // integer (minor units), units, decimal or string; without it by how min and step are written
	Unique *bool  `yaml:"unique"` // no two payments of a run have the same; true where not given
}

// Number is a number as it is written in a file, so that no digit is lost.
type Number string

var numberForm = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,3})?$`)

// UnmarshalYAML reads a number.
func (n *Number) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode || !numberForm.MatchString(node.Value) {
		return fmt.Errorf("expected a number such as 10.00, found %q", node.Value)
	}
	*n = Number(node.Value)
	return nil
}

// Validate checks the way of writing, and that there is an amount between min and max.
func (a *Amount) Validate() error {
	if a.As != "" && !slices.Contains(writings, a.As) {
		return fmt.Errorf("as: %q is none of %s", a.As, strings.Join(writings, ", "))
	}
	if low, high, step := a.Bounds("USD"); step < 1 || high < low {
		return errors.New("no amount is at least min and at most max, in steps of at least one minor unit")
	}
	return nil
}

// writing is how amounts are written.
func (a *Amount) writing() string {
	switch {
	case a.As != "":
		return a.As
	case strings.ContainsRune(string(a.Min+a.Max+a.Step), '.'):
		return AsDecimal
	}
	return AsInteger
}

// Amounts where a file says nothing: from 1.00 to 1000.00, in minor units.
const (
	usualMin  = 100
	usualSpan = 99_900
)

// Bounds are the smallest and the largest amount, and the step between amounts, in minor units of a currency.
func (a *Amount) Bounds(currency string) (low, high, step int64) {
	low, high, step = a.minor(a.Min, currency), a.minor(a.Max, currency), a.minor(a.Step, currency)
	one := int64(1)
	if a.writing() == AsUnits {
		one = a.minor("1", currency)
	}
	if a.Min == "" {
		low = (usualMin + one - 1) / one * one
		if a.Max != "" {
			low = min(low, high)
		}
	}
	if a.Step == "" {
		step = one
	}
	if a.Max == "" {
		high = low + max(usualSpan, 999*step)
	}
	return low, high, step
}

// Fit is the lawful amount that is nearest to one of minor units: in steps, and within what the file gives as bounds.
func (a *Amount) Fit(minor int64, currency string) int64 {
	low, high, step := a.Bounds(currency)
	if a.Min == "" {
		low = step
	}
	from := int64(0)
	if a.Min != "" {
		from = low
	}
	if over := (minor - from) % step; over != 0 {
		minor += step - over
	}
	if a.Max != "" {
		minor = min(minor, from+(high-from)/step*step)
	}
	return max(minor, low)
}

// Draw is a lawful amount by chance.
func (a *Amount) Draw(rng *rand.Rand, currency string) int64 {
	low, high, step := a.Bounds(currency)
	return low + rng.Int64N((high-low)/step+1)*step
}

// JoinedByAmount says that bank and payment, or row and payment, meet by the amount alone: no two payments may have the same.
func (t *Target) JoinedByAmount() bool {
	if t.Payment.Amount.Unique != nil {
		return *t.Payment.Amount.Unique
	}
	for _, a := range []*Ask{t.Rows.Success, t.Rows.Declined, t.Rows.Pending, t.Rows.Debits, t.Rows.Alias} {
		if a == nil {
			continue
		}
		if names := a.names(); slices.Contains(names, "amount") || slices.Contains(names, "amount.minor") {
			return true
		}
	}
	for _, b := range t.Banks {
		if b.Dialect.ByAmount() {
			return true
		}
	}
	return false
}

// minor is a number of the service's writing in minor units; 0 for what is not one.
func (a *Amount) minor(n Number, currency string) int64 {
	out, _ := a.read(string(n), currency)
	return out
}

// read is an amount that the service has written, in minor units. A fraction is of the unit, however amounts are written.
func (a *Amount) read(text, currency string) (int64, error) {
	if a.writing() == AsInteger && !strings.Contains(text, ".") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is no amount of minor units", text)
		}
		return n, nil
	}
	return money.Parse(text, currency)
}

// Written is an amount of minor units as the service writes it: what stands for ${amount}.
func (a *Amount) Written(minor int64, currency string) any {
	decimal := money.Decimal(minor, currency)
	switch a.writing() {
	case AsUnits:
		whole, _, _ := strings.Cut(decimal, ".")
		return json.Number(whole)
	case AsDecimal:
		return json.Number(decimal)
	case AsString:
		return decimal
	}
	return minor
}
