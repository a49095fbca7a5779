package reports

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema writes the JSON schema of result.json, made from the types themselves. Unknown fields are allowed, as a later onedebit
// may add some.
func Schema(w io.Writer) error {
	s := schemas{}
	root := s.of(reflect.TypeFor[Document]())
	return writeJSON(w, schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Title: "the result of a run of onedebit, version 1 of result.json",
		Ref: root.Ref, Defs: s,
	})
}

// schema is as much of a JSON schema as the document needs.
type schema struct {
	Schema     string             `json:"$schema,omitempty"`
	Title      string             `json:"title,omitempty"`
	Ref        string             `json:"$ref,omitempty"`
	Type       string             `json:"type,omitempty"`
	Format     string             `json:"format,omitempty"`
	Enum       []string           `json:"enum,omitempty"`
	Minimum    *int               `json:"minimum,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Values     *schema            `json:"additionalProperties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Defs       schemas            `json:"$defs,omitempty"`
}

// schemas are those of the structs, by their names in lower case.
type schemas map[string]*schema

func (all schemas) of(t reflect.Type) *schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[Verdict]():
		return &schema{Type: "string", Enum: []string{string(Pass), string(Skipped), string(Inconclusive), string(Fail)}}
	}
	none := 0
	switch t.Kind() {
	case reflect.Pointer:
		return all.of(t.Elem())
	case reflect.Slice:
		return &schema{Type: "array", Items: all.of(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", Values: all.of(t.Elem())}
	case reflect.Struct:
		return all.object(t)
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Uint64:
		return &schema{Type: "integer", Minimum: &none}
	default:
		return &schema{Type: "integer"}
	}
}

func (all schemas) object(t reflect.Type) *schema {
	name := strings.ToLower(t.Name())
	ref := &schema{Ref: "#/$defs/" + name}
	if all[name] != nil {
		return ref
	}
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	all[name] = s
	for i := range t.NumField() {
		key, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		s.Properties[key] = all.of(t.Field(i).Type)
		if !strings.Contains(options, "omitempty") {
			s.Required = append(s.Required, key)
		}
	}
	slices.Sort(s.Required)
	return ref
}
