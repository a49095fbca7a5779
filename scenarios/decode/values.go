package decode

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Duration is a length of time as people write it: 250ms, 3s, 10m. A bare number is refused, since its unit is a guess.
type Duration time.Duration

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("expected a duration such as 250ms, 3s or 10m, found %s", describe(n))
	}
	if v < 0 {
		return fmt.Errorf("expected a duration, found %q, which is negative", n.Value)
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string { return time.Duration(d).String() }

// Shift is a length of time forwards or backwards: 10m, -25h.
type Shift time.Duration

// UnmarshalYAML reads a shift.
func (s *Shift) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("expected a duration such as 10m or -25h, found %s", describe(n))
	}
	*s = Shift(v)
	return nil
}

func (s Shift) String() string { return time.Duration(s).String() }

// Percent is a share, written as 30% or 0.3, from 0 to 1.
type Percent float64

// UnmarshalYAML reads a share.
func (p *Percent) UnmarshalYAML(n *yaml.Node) error {
	text, percent := strings.CutSuffix(strings.TrimSpace(n.Value), "%")
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) { // written so that NaN is refused too
		return fmt.Errorf("expected a share such as 30%% or 0.3, found %s", describe(n))
	}
	*p = Percent(v)
	return nil
}

func (p Percent) String() string { return strconv.FormatFloat(float64(p)*100, 'g', 4, 64) + "%" }

// Count is how many times something is to happen: a whole number from 1, or "all". All is 0.
type Count int

// UnmarshalYAML reads a count.
func (c *Count) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "all" {
		*c = 0
		return nil
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 1 {
		return fmt.Errorf("expected a whole number from 1, or all, found %s", describe(n))
	}
	*c = Count(v)
	return nil
}

func (c Count) String() string {
	if c == 0 {
		return "all"
	}
	return strconv.Itoa(int(c))
}
