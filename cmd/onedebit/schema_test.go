package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"onedebit/fakebank/dialects"
	"onedebit/scenarios"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// The schemas come from the types that the files are read into, with the comments that stand beside them in the source.

func TestSchemasAreFresh(t *testing.T) {
	for kind, root := range schemaRoots {
		fresh(t, "schemas/"+kind+".json", schemaText(t, kind, root))
	}
}

var schemaRoots = map[string]reflect.Type{"target": reflect.TypeFor[targets.Target](), "scenario": reflect.TypeFor[scenarios.Scenario]()}

func schemaText(t *testing.T, kind string, root reflect.Type) string {
	t.Helper()
	folders := []string{services, engine, engine + "/workload", engine + "/faults", engine + "/stack", repository + "/fakebank/dialects"}
	g := &schemaGenerator{docs: newKeys(t, folders...), defs: node{"text": node{"type": []string{"string", "number", "boolean"}}}, own: shapes()}
	out := node{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "onedebit " + kind, "$ref": g.of(root)["$ref"], "$defs": g.defs,
	}
	text, err := json.MarshalIndent(out, "", " ")
	require.NoError(t, err)
	return string(text) + "\n"
}

// node is a piece of a schema.
type node map[string]any

// schemaGenerator makes schemas of types.
type schemaGenerator struct {
	docs keys
	defs node
	own  map[string]func(g *schemaGenerator) node
}

var (
	anything = node{}
	words    = node{"$ref": "#/$defs/text"}
)

// shapes are those of types that read themselves. A type that does and is not here is read by its fields.
func shapes() map[string]func(g *schemaGenerator) node {
	return map[string]func(g *schemaGenerator) node{
		"decode.Duration": func(*schemaGenerator) node {
			return node{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`}
		},
		"decode.Shift":   func(*schemaGenerator) node { return node{"type": "string"} },
		"decode.Percent": func(*schemaGenerator) node { return node{"type": []string{"string", "number"}} },
		"decode.Count": func(*schemaGenerator) node {
			return either(node{"type": "integer", "minimum": 1}, node{"const": "all"})
		},
		"targets.Processes": func(g *schemaGenerator) node {
			return node{"type": "object", "additionalProperties": g.of(reflect.TypeFor[targets.Process]())}
		},
		"targets.Listen": func(*schemaGenerator) node {
			return either(node{"const": "auto"}, node{"type": "integer", "minimum": 1, "maximum": 65535})
		},
		"targets.Ready": func(g *schemaGenerator) node {
			return either(node{"const": "tcp"}, g.fields(reflect.TypeFor[targets.Ready]()))
		},
		"targets.Ask": func(g *schemaGenerator) node {
			return either(node{"type": "string"}, g.fields(reflect.TypeFor[targets.Ask]()))
		},
		"targets.Number": func(*schemaGenerator) node { return node{"type": "number"} },
		"targets.Key": func(g *schemaGenerator) node {
			return either(node{"enum": []string{"uuid", "none", "letters"}}, g.fields(reflect.TypeFor[targets.Key]()))
		},
		"targets.Said": func(*schemaGenerator) node {
			statuses := oneOrMore(node{"type": "integer"})
			return either(statuses, node{"type": "object", "properties": node{"http": statuses}, "additionalProperties": oneOrMore(words)})
		},
		"targets.Bank": func(g *schemaGenerator) node {
			out := g.fields(reflect.TypeFor[targets.Bank]())
			maps.Copy(out["properties"].(node), g.fields(reflect.TypeFor[dialects.Dialect]())["properties"].(node))
			return out
		},
		"dialects.Replies": func(g *schemaGenerator) node {
			return node{"type": "object"}
		},
		"dialects.Amount": func(g *schemaGenerator) node { return either(words, g.fields(reflect.TypeFor[dialects.Amount]())) },
		"dialects.belongs": func(*schemaGenerator) node {
			return either(words, node{"type": "object", "properties": node{"key": words, "amount": words, "as": words}, "additionalProperties": false})
		},
		"dialects.Source": func(*schemaGenerator) node { return words },
		"dialects.text":   func(*schemaGenerator) node { return words }, "dialects.Pattern": func(*schemaGenerator) node { return words },
		"dialects.currency": func(*schemaGenerator) node { return words }, "dialects.Value": func(*schemaGenerator) node { return anything },
		"dialects.Match":    func(*schemaGenerator) node { return node{"type": []string{"string", "number", "boolean", "null"}} },
		"workload.wait":     func(g *schemaGenerator) node { return g.of(reflect.TypeFor[decode.Duration]()) },
		"workload.release":  func(*schemaGenerator) node { return words },
		"workload.heal":     func(*schemaGenerator) node { return node{"type": []string{"string", "null"}} },
		"workload.together": func(g *schemaGenerator) node { return oneOrMore(g.of(reflect.TypeFor[workload.Step]())) },
		"workload.inject": func(g *schemaGenerator) node {
			fields := node{"as": words, "optional": node{"type": "boolean"}}
			for _, k := range faults.Kinds() {
				fields[k.Name] = g.parameters(k.New(), k.Doc)
			}
			return node{"type": "object", "properties": fields, "additionalProperties": false}
		},
		"workload.Step": func(g *schemaGenerator) node {
			fields := node{"background": node{"type": "boolean"}}
			for _, k := range workload.Kinds() {
				fields[k.Name] = g.parameters(k.New(), k.Doc)
			}
			return either(node{"type": "string"}, node{"type": "object", "properties": fields, "additionalProperties": false})
		},
	}
}

func either(a ...node) node { return node{"anyOf": a} }

// oneOrMore is a list, for which a single one may stand.
func oneOrMore(of node) node { return either(of, node{"type": "array", "items": of}) }

// parameters are those of a step or fault, which may be left out.
func (g *schemaGenerator) parameters(v any, doc string) node {
	out := either(g.of(reflect.TypeOf(v)), node{"type": "null"})
	out["description"] = doc
	return out
}

// of is the schema of a type.
func (g *schemaGenerator) of(t reflect.Type) node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := t.String()
	shape, known := g.own[name]
	switch {
	case known, t.Kind() == reflect.Struct:
		if g.defs[name] == nil {
			g.defs[name] = node{} // it may hold itself
			if !known {
				shape = func(g *schemaGenerator) node { return g.fields(t) }
			}
			g.defs[name] = shape(g)
		}
		return node{"$ref": "#/$defs/" + name}
	case t.Kind() == reflect.Slice:
		return oneOrMore(g.of(t.Elem()))
	case t.Kind() == reflect.Map:
		return node{"type": []string{"object", "null"}, "additionalProperties": g.of(t.Elem())}
	case t.Kind() == reflect.Bool:
		return node{"type": "boolean"}
	case t.Kind() == reflect.String:
		return words
	case t.Kind() == reflect.Interface:
		return anything
	case t.Kind() == reflect.Float64:
		return node{"type": "number"}
	}
	return node{"type": "integer"}
}

// fields is the schema of a struct.
func (g *schemaGenerator) fields(t reflect.Type) node {
	properties := node{}
	g.learn(t, properties)
	return node{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func (g *schemaGenerator) learn(t reflect.Type, into node) {
	for i := range t.NumField() {
		key, rest, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		switch {
		case rest == "inline":
			g.learn(t.Field(i).Type, into)
		case key != "" && key != "-":
			of := maps.Clone(g.of(t.Field(i).Type))
			if doc := g.docs[t.String()+"."+key]; doc != "" {
				of["description"] = doc
			}
			into[key] = of
		}
	}
}

// What is valid by the reader is valid by the schema, and a key that the reader does not know is none of the schema's either.
func TestSchemasTakeWhatIsValid(t *testing.T) {
	files := map[string][]string{"target": {services + "/reference.yaml"}}
	for kind, pattern := range map[string]string{"target": services + "/testdata/examples/*/*/*.yaml", "scenario": engine + "/catalog/*/*.yaml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files[kind] = append(files[kind], found...)
	}
	for kind, list := range files {
		require.NotEmpty(t, list)
		s := compiled(t, kind)
		for _, file := range list {
			var doc map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(text(t, file)), &doc), file)
			assert.NoError(t, s.Validate(doc), file)
			doc["no such key"] = 1
			assert.Error(t, s.Validate(doc), file)
		}
	}
}

func TestSchemasRefuseWhatIsWrong(t *testing.T) {
	for kind, files := range map[string][]string{
		"target": {
			"processes: {api: {rnu: [./x]}}", "processes: {api: {listen: often}}", "payment: {each: [{submit: {psot: /x}}]}",
			"rows: {success: {get: /x, cuont: body.a}}", "settle: {within: 5}", "banks: {b: {calls: [{om: POST /x}]}}", "database: sqlite",
		},
		"scenario": {"steps: [{pya: {}}]", "steps: [{pay: {retires: {}}}]", "steps: [{fault: {lost-anser: {}}}]", "expect: {debits: many}"},
	} {
		s := compiled(t, kind)
		for _, file := range files {
			var doc any
			require.NoError(t, yaml.Unmarshal([]byte(file), &doc))
			assert.Error(t, s.Validate(doc), file)
		}
	}
	for _, known := range slices.Sorted(maps.Keys(shapes())) {
		assert.True(t, strings.Contains(text(t, "schemas/target.json")+text(t, "schemas/scenario.json"), `"`+known+`": {`), "%s is in the table for nothing", known)
	}
}

func compiled(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schemas/" + kind + ".json")
	require.NoError(t, err)
	return s
}
