// Package decode reads the YAML files of onedebit strictly: an unknown key, a value of the wrong kind or a missing field
// is an error with file, line and column, and with the nearest valid name where there is one. Nothing is half-read. A
// number of 0 is refused where it would count as not given: what was typed is never replaced in silence.
package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	"go.yaml.in/yaml/v3"
)

// maxNodes bounds how many values one file may hold, aliases counted each time they are used.
const maxNodes = 100_000

// Error is a mistake in a file, at a place. Line and Column count from 1; 0 means the place is not known.
type Error struct {
	File   string
	Line   int
	Column int
	Msg    string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Validator is asked after a value was decoded; its error is placed at the value.
type Validator interface{ Validate() error }

// Custom decodes itself from a node, using the File that it is given for nested values.
type Custom interface {
	DecodeNode(f *File, n *yaml.Node) error
}

// File is one YAML document being read.
type File struct {
	Name  string
	Root  *yaml.Node
	nodes int
	open  map[*yaml.Node]bool // what aliases stand for, while it is being decoded
}

var yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s+)?line (\d+): (.*)$`)

// Parse reads the text of a file that holds one YAML document. A second document is an error, and so is a key that a
// mapping has twice.
func Parse(name string, data []byte) (*File, error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		return nil, &Error{File: name, Line: 1, Column: 1, Msg: "the file is empty"}
	case err != nil:
		return nil, invalid(name, err)
	}
	f := &File{Name: name, Root: doc.Content[0], open: map[*yaml.Node]bool{}}
	switch err := documents.Decode(&more); {
	case err == nil:
		return nil, f.Errorf(&more, "a second document begins here; a file holds one")
	case !errors.Is(err, io.EOF):
		return nil, invalid(name, err)
	}
	if err := f.keys(f.Root); err != nil {
		return nil, err
	}
	return f, nil
}

// invalid is the error for text that is not YAML.
func invalid(name string, err error) error {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return &Error{File: name, Line: line, Column: 1, Msg: "not valid YAML: " + m[2]}
	}
	return &Error{File: name, Msg: "not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
}

// keys checks the keys of all mappings, also of those that are decoded by other rules than these. What aliases stand for
// is checked where it is written.
func (f *File) keys(n *yaml.Node) error {
	seen := map[string]int{}
	for i, item := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch line, twice := seen[item.Value]; {
			case item.Kind != yaml.ScalarNode:
				return f.Errorf(item, "expected a key, found %s", describe(item))
			case item.Tag == "!!merge":
				return f.Errorf(item, "the merge key << is not understood; write the keys out")
			case twice:
				return f.Errorf(item, "key %q is given twice; the first is on line %d", item.Value, line)
			}
			seen[item.Value] = item.Line
		}
		if err := f.keys(item); err != nil {
			return err
		}
	}
	return nil
}

// Into decodes the whole document into v, a pointer.
func (f *File) Into(v any) error { return f.Decode(f.Root, v) }

// Decode decodes one node into v, a pointer.
func (f *File) Decode(n *yaml.Node, v any) error {
	return f.value(n, reflect.ValueOf(v).Elem())
}

// Key is the key at a path of keys, or the root where there is none.
func (f *File) Key(path ...string) *yaml.Node {
	within, found := f.Root, f.Root
	for _, name := range path {
		var value *yaml.Node
		for i := 0; within.Kind == yaml.MappingNode && i+1 < len(within.Content); i += 2 {
			if within.Content[i].Value == name {
				found, value = within.Content[i], within.Content[i+1]
			}
		}
		if value == nil {
			return found
		}
		within = value
	}
	return found
}

// Errorf is an error at a node.
func (f *File) Errorf(n *yaml.Node, format string, args ...any) error {
	return &Error{File: f.Name, Line: n.Line, Column: n.Column, Msg: fmt.Sprintf(format, args...)}
}

// Unknown is the error for a name that is none of the valid ones.
func (f *File) Unknown(n *yaml.Node, what, name string, valid []string) error {
	return f.Errorf(n, "%s", UnknownName(what, name, valid))
}

func (f *File) value(n *yaml.Node, v reflect.Value) error {
	if f.nodes++; f.nodes > maxNodes {
		return f.Errorf(n, "the file holds more than %d values", maxNodes)
	}
	if n.Kind == yaml.AliasNode {
		if f.open[n.Alias] {
			return f.Errorf(n, "alias *%s stands within what it stands for", n.Value)
		}
		f.open[n.Alias] = true
		defer delete(f.open, n.Alias)
		n = n.Alias
	}
	if v.Kind() == reflect.Pointer {
		if n.Tag == "!!null" {
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.value(n, v.Elem())
	}
	err := f.byKind(n, v)
	zero, isZero := err.(notGiven)
	if err != nil && !isZero {
		return err
	}
	if c, ok := v.Addr().Interface().(Validator); ok {
		if err := c.Validate(); err != nil {
			return f.placed(n, err) // of a zero too this says better what is allowed
		}
	}
	if isZero {
		return zero.error
	}
	return nil
}

// notGiven is the mistake of a 0 that would count as not given.
type notGiven struct{ error }

func (f *File) byKind(n *yaml.Node, v reflect.Value) error {
	if c, ok := v.Addr().Interface().(Custom); ok {
		return f.placed(n, c.DecodeNode(f, n))
	}
	if u, ok := v.Addr().Interface().(yaml.Unmarshaler); ok {
		return f.placed(n, u.UnmarshalYAML(n))
	}
	switch v.Kind() {
	case reflect.Struct:
		return f.structure(n, v)
	case reflect.Slice:
		return f.list(n, v)
	case reflect.Map:
		return f.mapping(n, v)
	default:
		return f.scalar(n, v)
	}
}

// placed gives an error the place of the node, unless it has a place already.
func (f *File) placed(n *yaml.Node, err error) error {
	var at *Error
	if err == nil || errors.As(err, &at) {
		return err
	}
	return f.Errorf(n, "%s", err)
}

func (f *File) structure(n *yaml.Node, v reflect.Value) error {
	if n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		fields := Fields(v.Type())
		if len(fields) == 0 {
			return f.Errorf(n, "expected nothing here, found %s", describe(n))
		}
		return f.Errorf(n, "expected keys and values (%s), found %s", strings.Join(fields, ", "), describe(n))
	}
	var first error
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, zero, ok := fieldNamed(v, key.Value)
		if !ok {
			return f.Unknown(key, "key", key.Value, Fields(v.Type()))
		}
		if err := f.value(value, field); err != nil {
			return err
		}
		if first == nil && !zero && number(field) && field.IsZero() {
			first = notGiven{f.Errorf(value, "expected %s, found %s, which would count as not given", fromOne(field), describe(value))}
		}
	}
	return first
}

// number reports whether a key holds a number, of which 0 would count as not given. All is a count of its own.
func number(v reflect.Value) bool {
	return (v.CanInt() || v.CanUint() || v.CanFloat()) && v.Type() != reflect.TypeFor[Count]()
}

// fromOne is what may stand at a key that holds a number.
func fromOne(v reflect.Value) string {
	switch v.Interface().(type) {
	case Duration:
		return "a duration above 0"
	case Percent:
		return "a share above 0"
	}
	if v.CanFloat() {
		return "a number above 0"
	}
	return "a whole number from 1"
}

func (f *File) list(n *yaml.Node, v reflect.Value) error {
	if n.Tag == "!!null" {
		return nil
	}
	items := n.Content
	if n.Kind != yaml.SequenceNode {
		items = []*yaml.Node{n} // one value stands for a list of one
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := f.value(item, out.Index(i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func (f *File) mapping(n *yaml.Node, v reflect.Value) error {
	if n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return f.Errorf(n, "expected keys and values, found %s", describe(n))
	}
	out := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := f.value(n.Content[i+1], item); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(n.Content[i].Value).Convert(v.Type().Key()), item)
	}
	v.Set(out)
	return nil
}

func (f *File) scalar(n *yaml.Node, v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		if err := n.Decode(v.Addr().Interface()); err != nil {
			return f.Errorf(n, "cannot be read: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		return nil
	}
	// A fraction is refused here, since YAML would cut it off to make it whole.
	whole := v.CanInt() || v.CanUint()
	fraction := n.ShortTag() == "!!float"
	if n.Kind != yaml.ScalarNode || whole && fraction || n.Decode(v.Addr().Interface()) != nil {
		return f.Errorf(n, "expected %s, found %s", kindName(v), describe(n))
	}
	return nil
}

func kindName(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return "text"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanFloat():
		return "a number"
	case v.CanInt(), v.CanUint():
		return "a whole number"
	default:
		return v.Kind().String()
	}
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	default:
		if n.Tag == "!!null" {
			return "nothing"
		}
		return strconv.Quote(n.Value)
	}
}

// Fields are the keys that a struct takes, from its yaml tags, in the order of declaration. The keys of a struct that is
// tagged inline are its own.
func Fields(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		name, inline := tag(t.Field(i))
		switch {
		case inline:
			out = append(out, Fields(t.Field(i).Type)...)
		case name != "":
			out = append(out, name)
		}
	}
	return out
}

func tag(f reflect.StructField) (name string, inline bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" {
		return "", false
	}
	return name, rest == "inline"
}

// fieldNamed finds the field of a key, and whether its 0 has a meaning (tag zero) other than not to be given.
func fieldNamed(v reflect.Value, key string) (field reflect.Value, zero, ok bool) {
	for i := range v.NumField() {
		name, inline := tag(v.Type().Field(i))
		if inline {
			if field, zero, ok = fieldNamed(v.Field(i), key); ok {
				return field, zero, ok
			}
		}
		if name != "" && name == key {
			_, zero = v.Type().Field(i).Tag.Lookup("zero")
			return v.Field(i), zero, true
		}
	}
	return reflect.Value{}, false, false
}

// UnknownName says that a name is none of the valid ones, and which one was probably meant.
func UnknownName(what, name string, valid []string) string {
	if near := Nearest(name, valid); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %q?", what, name, near)
	}
	if len(valid) == 0 {
		return fmt.Sprintf("unknown %s %q; none is valid here", what, name)
	}
	sorted := slices.Clone(valid)
	slices.Sort(sorted)
	return fmt.Sprintf("unknown %s %q; valid are: %s", what, name, strings.Join(slices.Compact(sorted), ", "))
}

// Nearest is the valid name that is most like the one given, or "" where none is like it.
func Nearest(name string, valid []string) string {
	best, score := "", 0.0
	for _, v := range valid {
		s := levenshtein.Similarity(strings.ToLower(name), strings.ToLower(v), nil)
		if strings.HasPrefix(v, name) && len(name) >= 3 {
			s = max(s, 0.9)
		}
		if s > score {
			best, score = v, s
		}
	}
	if score < 0.5 {
		return ""
	}
	return best
}
