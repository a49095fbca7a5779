package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// The pages about files are written by hand but for the keys: those come from the types that the files are read into,
// with the comments that stand beside them in the source.

func TestScenarioPageIsFresh(t *testing.T) {
	k := newKeys(t, engine, engine+"/workload", engine+"/faults", engine+"/stack")
	var steps, disturbances []kind
	for _, s := range workload.Kinds() {
		steps = append(steps, kind{s.Name, s.Doc, s.Example, s.New()})
	}
	for _, f := range faults.Kinds() {
		disturbances = append(disturbances, kind{f.Name, f.Doc, "fault: {" + f.Example + "}", f.New()})
	}
	freshParts(t, engine+"/README.md", map[string]string{
		"keys": k.table(reflect.TypeFor[scenarios.Scenario]()), "steps": k.kinds(steps), "faults": k.kinds(disturbances),
	})
}

func TestTargetPageIsFresh(t *testing.T) {
	k := newKeys(t, services)
	freshParts(t, services+"/README.md", map[string]string{
		"reference": "```yaml\n" + text(t, services, targets.Reference+".yaml") + "```\n",
		"keys":      k.table(reflect.TypeFor[targets.Target]()),
	})
}

// kind is one kind of step or fault with fresh parameters.
type kind struct {
	name, doc, example string
	parameters         any
}

// keys knows the comments of struct fields, by package, type and yaml key.
type keys map[string]string

func newKeys(t *testing.T, folders ...string) keys {
	t.Helper()
	k := keys{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					k.learn(parsed.Name.Name+"."+spec.Name.Name, spec)
				}
				return true
			})
		}
	}
	return k
}

func (k keys) learn(name string, spec *ast.TypeSpec) {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("yaml"), ",")
		k[name+"."+key] = strings.TrimSpace(f.Comment.Text())
	}
}

// table lists the keys of a struct, and behind each the keys within it.
func (k keys) table(t reflect.Type) string {
	var b bytes.Buffer
	b.WriteString("| key | value | |\n|---|---|---|\n")
	k.rows(&b, "", reflect.New(t).Elem())
	return b.String()
}

// kinds lists kinds with an example and their keys.
func (k keys) kinds(list []kind) string {
	var b bytes.Buffer
	for i, x := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n```yaml\n- %s\n```\n", x.name, strings.ToUpper(x.doc[:1])+x.doc[1:], x.example)
		v := reflect.ValueOf(x.parameters).Elem()
		if v.Kind() == reflect.Struct && len(decode.Fields(v.Type())) > 0 {
			b.WriteString("\n| key | value | |\n|---|---|---|\n")
			k.rows(&b, "", v)
		}
	}
	return b.String()
}

func (k keys) rows(b *bytes.Buffer, prefix string, v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		key, rest, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		switch {
		case rest == "inline":
			k.rows(b, prefix, v.Field(i))
		case key != "" && key != "-":
			value, within := valueOf(t.Field(i).Type)
			if d := v.Field(i); !d.IsZero() && d.Kind() != reflect.Struct {
				value += fmt.Sprintf(", `%v` where not given", d)
			}
			fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, key, value, cell(k[t.String()+"."+key]))
			if within != nil {
				k.rows(b, prefix+key+".", reflect.New(within).Elem())
			}
		}
	}
}

// valueOf says in words what a value of a type is written as, and which struct has the keys within it.
func valueOf(t reflect.Type) (words string, within reflect.Type) {
	switch t {
	case reflect.TypeFor[decode.Duration]():
		return "duration", nil
	case reflect.TypeFor[decode.Shift]():
		return "duration, which may be negative", nil
	case reflect.TypeFor[decode.Percent]():
		return "share", nil
	case reflect.TypeFor[decode.Count]():
		return "number or `all`", nil
	case reflect.TypeFor[workload.Step]():
		return "step", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return valueOf(t.Elem())
	case reflect.Slice:
		words, within = valueOf(t.Elem())
		return words + ", or a list", within
	case reflect.Map:
		words, _ = valueOf(t.Elem())
		return words + " by name", nil
	case reflect.Struct:
		if len(decode.Fields(t)) == 0 {
			return "as in its own chapter", nil
		}
		return "keys", t
	case reflect.Bool:
		return "`true` or `false`", nil
	case reflect.String:
		return "text", nil
	case reflect.Interface:
		return "anything", nil
	default:
		return "number", nil
	}
}
