package stack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"onedebit/scenarios/decode"
)

// ruleJSON is a rule as it is written down: {"fault": "lost", "match": {"dir": "answer"}, "do": {"lose": {}}}.
type ruleJSON struct {
	Fault string                     `json:"fault"`
	Match Match                      `json:"match"`
	Do    map[string]json.RawMessage `json:"do"`
}

var (
	actionNames = map[reflect.Type]string{}
	actions     = map[string]func(data []byte) (Action, error){}
)

// action gives an action the name by which it is written down. It panics on a doubled name, a mistake in this package.
func action[A Action](name string) string {
	if actions[name] != nil {
		panic(fmt.Sprintf("action %q is named twice", name))
	}
	actionNames[reflect.TypeFor[A]()] = name
	actions[name] = func(data []byte) (Action, error) {
		var a A
		err := strictJSON(data, &a)
		return a, err
	}
	return name
}

// MarshalJSON writes the rule down. It is an error where the action cannot be written down.
func (r Rule) MarshalJSON() ([]byte, error) {
	out := ruleJSON{Fault: r.Fault, Match: r.Match}
	if r.Do != nil {
		name := actionNames[reflect.TypeOf(r.Do)]
		if name == "" {
			return nil, fmt.Errorf("action %T has no name", r.Do)
		}
		data, err := json.Marshal(r.Do)
		if err != nil {
			return nil, err
		}
		out.Do = map[string]json.RawMessage{name: data}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a rule strictly. The error of an unknown action names the nearest valid one.
func (r *Rule) UnmarshalJSON(data []byte) error {
	var in ruleJSON
	if err := strictJSON(data, &in); err != nil {
		return err
	}
	*r = Rule{Fault: in.Fault, Match: in.Match}
	if len(in.Do) > 1 {
		return fmt.Errorf("%d actions; a rule has one", len(in.Do))
	}
	for name, data := range in.Do {
		read := actions[name]
		if read == nil {
			return errors.New(decode.UnknownName("action", name, slices.Collect(maps.Keys(actions))))
		}
		var err error
		if r.Do, err = read(data); err != nil {
			return fmt.Errorf("action %s: %w", name, err)
		}
	}
	return nil
}

// strictJSON reads one JSON value, of which every field is known, and nothing behind it.
func strictJSON(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	d.UseNumber() // whole numbers stay what they are
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the end of the JSON")
	}
	return nil
}
