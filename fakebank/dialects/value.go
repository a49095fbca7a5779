package dialects

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Value is a piece of JSON with templates in it. A lone placeholder that has nothing leaves its key, or its place in a list,
// out; an object whose values are all left out is left out itself.
type Value struct {
	text    *Template
	literal any
	list    []*Value
	object  map[string]*Value
}

// DecodeNode reads a value.
func (v *Value) DecodeNode(f *decode.File, n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return f.Decode(n, v) // seen through by the decoder, which knows an endless one
	case yaml.MappingNode:
		return f.Decode(n, &v.object)
	case yaml.SequenceNode:
		v.list = []*Value{}
		return f.Decode(n, &v.list)
	}
	if n.ShortTag() != "!!str" {
		v.literal = json.RawMessage(n.Value)
		if !json.Valid([]byte(n.Value)) {
			return f.Decode(n, &v.literal)
		}
		return nil
	}
	t, err := parseTemplate(n.Value, everywhere)
	if err != nil {
		return f.Errorf(n, "%s", err)
	}
	v.text = &t
	return nil
}

var everywhere = slices.Concat(ofRequest, ofOutcome, ofEvent)

// render is the value with its placeholders filled in, and whether there is one.
func (v *Value) render(from view) (any, bool) {
	switch {
	case v == nil:
		return json.RawMessage("null"), true
	case v.text != nil:
		said := v.text.value(from)
		return said, said != nil
	case v.list != nil:
		out := []any{}
		for _, item := range v.list {
			if said, ok := item.render(from); ok {
				out = append(out, said)
			}
		}
		return out, true
	case v.object != nil:
		out := map[string]any{}
		for key, item := range v.object {
			if said, ok := item.render(from); ok {
				out[key] = said
			}
		}
		return out, len(out) > 0 || len(v.object) == 0
	case v.literal == nil:
		return json.RawMessage("null"), true
	}
	return v.literal, true
}

// names are those that the templates in the value ask for.
func (v *Value) names() (out []name) {
	switch {
	case v == nil:
	case v.text != nil:
		return v.text.names()
	}
	if v != nil {
		for _, item := range v.list {
			out = append(out, item.names()...)
		}
		for _, item := range v.object {
			out = append(out, item.names()...)
		}
	}
	return out
}

// with is the value with another put over it: objects are merged, everything else is replaced.
func (v *Value) with(over *Value) *Value {
	if over == nil || v == nil || v.object == nil || over.object == nil {
		if over == nil {
			return v
		}
		return over
	}
	out := &Value{object: map[string]*Value{}}
	for key, item := range v.object {
		out.object[key] = item
	}
	for key, item := range over.object {
		out.object[key] = out.object[key].with(item)
	}
	return out
}

// text is a template that may use every name.
type text struct{ Template }

// DecodeNode reads a template.
func (t *text) DecodeNode(f *decode.File, n *yaml.Node) error {
	var said string
	if err := f.Decode(n, &said); err != nil {
		return err
	}
	parsed, err := parseTemplate(said, everywhere)
	if err != nil {
		return f.Errorf(n, "%s", err)
	}
	t.Template = parsed
	return nil
}

// form writes a tree as a form with bracket keys.
func form(prefix string, tree any, add func(key, value string)) {
	inner := func(key string) string {
		if prefix == "" {
			return key
		}
		return fmt.Sprintf("%s[%s]", prefix, key)
	}
	switch t := tree.(type) {
	case map[string]any:
		for key, item := range t {
			form(inner(key), item, add)
		}
	case []any:
		for _, item := range t {
			form(prefix+"[]", item, add)
		}
	case json.RawMessage:
		if string(t) != "null" {
			add(prefix, string(t))
		}
	default:
		add(prefix, asText(t))
	}
}
