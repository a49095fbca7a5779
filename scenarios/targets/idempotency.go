package targets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/decode"
)

// Idempotency is by which rules the service treats idempotency keys. Profiles differ in statuses only.
type Idempotency struct {
	Profile string `yaml:"profile"` // ietf, stripe, conflict or custom
	Header  string `yaml:"header"`  // that the key travels in; found in the submit where not given

	Missing  []int `yaml:"missing"`  // statuses without a key, where one is needed
	Blank    []int `yaml:"blank"`    // statuses for a blank key
	TooLong  []int `yaml:"too_long"` // statuses for a key of more than max_length letters
	Mismatch []int `yaml:"mismatch"` // statuses for a key that comes back with another payment
	Running  []int `yaml:"running"`  // statuses while the first request under the key is not answered
	Replay   []int `yaml:"replay"`   // statuses for a key that comes back with the same payment; "as the first" where not given

	MaxLength int             `yaml:"max_length"` // of a key
	Expires   decode.Duration `yaml:"expires"`    // after how long a key is forgotten
}

// profiles are the rules by name. Those of ietf are from the draft of the header field Idempotency-Key, those of stripe from
// its documentation; conflict is what many services do: 409 for every repeat.
var profiles = map[string]Idempotency{
	"ietf":     {Header: "Idempotency-Key", Missing: []int{400}, Blank: []int{400}, TooLong: []int{400}, Mismatch: []int{422}, Running: []int{409}},
	"stripe":   {Header: "Idempotency-Key", TooLong: []int{400}, Mismatch: []int{400}, Running: []int{409}, MaxLength: 255},
	"conflict": {Mismatch: []int{409, 422}, Running: []int{409}, Replay: []int{409}},
	"custom":   {},
}

// Validate checks the profile's name, and fills in what it says.
func (i *Idempotency) Validate() error {
	if i.Profile == "" {
		return errors.New("profile: one of ietf, stripe, conflict and custom")
	}
	usual, known := profiles[i.Profile]
	if !known {
		return errors.New(decode.UnknownName("profile", i.Profile, []string{"ietf", "stripe", "conflict", "custom"}))
	}
	own := *i
	*i = usual
	i.Profile = own.Profile
	for _, list := range []struct {
		into *[]int
		own  []int
	}{{&i.Missing, own.Missing}, {&i.Blank, own.Blank}, {&i.TooLong, own.TooLong}, {&i.Mismatch, own.Mismatch}, {&i.Running, own.Running}, {&i.Replay, own.Replay}} {
		if len(list.own) > 0 {
			*list.into = list.own
		}
	}
	if own.Header != "" {
		i.Header = own.Header
	}
	if own.MaxLength != 0 {
		i.MaxLength = own.MaxLength
	}
	i.Expires = own.Expires
	if i.MaxLength < 0 {
		return fmt.Errorf("max_length: %d is no length", i.MaxLength)
	}
	return nil
}

// KeyHeader is the header that the submit carries the key in, or "".
func (t *Target) KeyHeader() string {
	if t.Idempotency != nil && t.Idempotency.Header != "" {
		return t.Idempotency.Header
	}
	submit := t.Payment.Submit()
	if submit == nil {
		return ""
	}
	var names []string
	for name, value := range submit.Headers {
		if strings.Contains(value, "${key}") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}
