package dialects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onedebit/fakebank"
)

// Ways in which a call may be encoded.
const (
	bodyAny  = "any"  // what its Content-Type says; an empty body says nothing
	bodyJSON = "json" // an object, not empty
	bodyForm = "form"
	bodyNone = "none" // not looked at
)

var bodies = []string{bodyAny, bodyJSON, bodyForm, bodyNone}

// Bounds of what a form may hold.
const (
	maxFormKeys  = 1000
	maxFormDepth = 8
)

// readBody makes one tree of a body: objects, lists, texts, and numbers as they are written.
func readBody(kind, contentType string, body []byte) (map[string]any, error) {
	if kind == bodyAny {
		media, _, _ := mime.ParseMediaType(contentType)
		switch {
		case len(bytes.TrimSpace(body)) == 0:
			kind = bodyNone
		case media == "application/x-www-form-urlencoded":
			kind = bodyForm
		default:
			kind = bodyJSON
		}
	}
	switch kind {
	case bodyNone:
		return map[string]any{}, nil
	case bodyForm:
		return readForm(body)
	}
	return readJSON(body)
}

func readJSON(body []byte) (map[string]any, error) {
	var whole map[string]json.RawMessage // understood first as the bank's own API is, so that mistakes are worded alike
	if err := fakebank.DecodeObject(body, &whole); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	out := map[string]any{}
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	if out == nil {
		out = map[string]any{}
	}
	return out, nil
}

// readForm understands bracket keys: metadata[order]=7 is an object in an object, expand[]=a one of a list.
func readForm(body []byte) (map[string]any, error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("the body is not a form: %w", err)
	}
	if len(values) > maxFormKeys {
		return nil, fmt.Errorf("the form has more than %d keys", maxFormKeys)
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	out := map[string]any{}
	for _, key := range keys {
		path, list, err := formPath(key)
		if err == nil {
			err = plant(out, path, list, values[key])
		}
		if err != nil {
			return nil, fmt.Errorf("form key %s: %w", key, err)
		}
	}
	return out, nil
}

// formPath takes a key apart: a[b][c] is a path of three, a[] is the list a.
func formPath(key string) (path []string, list bool, err error) {
	name, rest, open := strings.Cut(key, "[")
	path = []string{name}
	for open {
		part, more, closed := strings.Cut(rest, "]")
		switch {
		case !closed, more != "" && more[0] != '[', strings.Contains(part, "["):
			return nil, false, errors.New("the brackets do not match")
		case part == "" && more != "":
			return nil, false, errors.New("[] is understood at the end only")
		case part == "":
			return path, true, nil
		}
		if path = append(path, part); len(path) > maxFormDepth {
			return nil, false, fmt.Errorf("more than %d deep", maxFormDepth)
		}
		rest, open = strings.CutPrefix(more, "[")
	}
	return path, false, nil
}

func plant(into map[string]any, path []string, list bool, values []string) error {
	for _, name := range path[:len(path)-1] {
		inner, ok := into[name].(map[string]any)
		if !ok && into[name] != nil {
			return fmt.Errorf("%s is given as a value and as an object", name)
		}
		if !ok {
			inner = map[string]any{}
			into[name] = inner
		}
		into = inner
	}
	last := path[len(path)-1]
	if into[last] != nil {
		return fmt.Errorf("%s is given as a value and as an object", last)
	}
	if !list {
		into[last] = values[len(values)-1]
		return nil
	}
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	into[last] = all
	return nil
}

// dig finds what stands at a path of a tree; a number is the place in a list. Nil is nothing.
func dig(tree any, path []string) any {
	for _, name := range path {
		switch t := tree.(type) {
		case map[string]any:
			tree = t[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(t) {
				return nil
			}
			tree = t[i]
		default:
			return nil
		}
	}
	return tree
}

// jsonKind names a value of a tree for somebody who reads an error.
func jsonKind(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case json.Number:
		return "number " + v.String()
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "nothing"
}
