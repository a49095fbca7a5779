package fakebank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// maxBody bounds every JSON body, in both directions and on both APIs.
const maxBody = 64 << 10

// DecodeObject reads one JSON object into a struct and refuses anything behind it. Unknown fields are let pass, since
// services send banks more than they need.
func DecodeObject(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(into); err != nil {
		return plainJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body goes on behind its JSON object: send one object")
	}
	return nil
}

// decodeStrict is DecodeObject with each field known by its exact name. An empty body is an empty object.
// Fields named in also are valid but somebody else's: they are left alone.
func decodeStrict(body []byte, into any, also ...string) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	var given map[string]json.RawMessage
	if err := DecodeObject(body, &given); err != nil {
		return err
	}
	valid := append(jsonFields(reflect.TypeOf(into).Elem()), also...)
	slices.Sort(valid)
	for _, name := range sortedKeys(given) {
		if !slices.Contains(valid, name) {
			return fmt.Errorf("unknown field %q: use %s%s", name, strings.Join(valid, ", "), nearest(name, valid))
		}
	}
	return DecodeObject(body, into)
}

// plainJSON words the decoder's errors for somebody who knows the API and not Go.
func plainJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		field := wrong.Field
		if field == "" {
			field = "the body"
		}
		return fmt.Errorf("%s must be %s, not %s", field, jsonType(wrong.Type), wrong.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON body ends early: send one complete object")
	}
	return fmt.Errorf("the body is not JSON: %w", err)
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// jsonFields are the names that a struct has in JSON, those of its embedded structs included.
func jsonFields(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		if f.Anonymous {
			names = append(names, jsonFields(f.Type)...)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// nearest is a hint at the valid word that was probably meant, or nothing where none is close.
func nearest(word string, valid []string) string {
	best, distance := "", min(1+max(2, (len(word)+1)/2), max(2, len(word)))
	for _, v := range valid {
		if d := levenshtein.Distance(strings.ToLower(word), strings.ToLower(v), nil); d < distance {
			best, distance = v, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
