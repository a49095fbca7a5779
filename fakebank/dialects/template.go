package dialects

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// maxText bounds one text that a template gives.
const maxText = 64 << 10

// Roots that a name can begin with, and where each can be used.
var (
	ofRequest = []string{"body", "form", "header", "path", "query", "when", "new", "setting", "kept"}
	ofOutcome = []string{"status", "word", "reason", "code", "message", "amount", "total", "taken", "refunded", "left", "currency",
		"account", "merchant", "reference", "refund", "bank_id", "made", "now"}
	ofEvent = []string{"event", "secret", "raw", "hex", "base64"}
	// bare are the roots that stand alone; the others need a name behind them. What may follow the bare ones is below.
	bare  = append(slices.Clone(ofOutcome), "secret", "raw", "hex", "base64")
	forms = map[string][]string{
		"amount": {"decimal", "text"}, "total": {"decimal", "text"}, "taken": {"decimal", "text"}, "refunded": {"decimal", "text"},
		"left": {"decimal", "text"}, "currency": {"lower"}, "reason": {"lower"}, "code": {"lower"}, "made": {"rfc3339", "ms"},
		"now": {"rfc3339", "ms"},
	}
	eventNames = []string{"id", "attempt", "time", "time.rfc3339", "time.ms", "callback"}
)

// name is a value by its name, such as body.card.number.
type name struct {
	root string
	rest []string
}

func (n name) String() string { return strings.Join(append([]string{n.root}, n.rest...), ".") }

// parseName understands a name. call.body.x is body.x of the call that an answer or a notification is about.
func parseName(text string, roots []string) (name, error) {
	parts := strings.Split(strings.TrimPrefix(text, "call."), ".")
	n := name{root: parts[0], rest: parts[1:]}
	switch {
	case !slices.Contains(roots, n.root):
		return n, errors.New(decode.UnknownName("name", text, nearRoots(text, n, roots)))
	case slices.Contains(parts, ""):
		return n, fmt.Errorf("name %q: a part of it is empty", text)
	case n.root == "word":
		if len(n.rest) != 1 {
			return n, fmt.Errorf("name %q: say word and the table, such as word.status", text)
		}
	case n.root == "event":
		if !slices.Contains(eventNames, strings.Join(n.rest, ".")) {
			return n, errors.New(decode.UnknownName("name", text, prefixed("event.", eventNames)))
		}
	case slices.Contains(bare, n.root):
		if len(n.rest) > 0 && (len(n.rest) > 1 || !slices.Contains(forms[n.root], n.rest[0])) {
			return n, errors.New(decode.UnknownName("name", text, append(prefixed(n.root+".", forms[n.root]), n.root)))
		}
	case len(n.rest) == 0:
		return n, fmt.Errorf("name %q: say which, such as %s.id", text, text)
	}
	return n, nil
}

func nearRoots(text string, n name, roots []string) (out []string) {
	for _, r := range roots {
		out = append(out, strings.TrimPrefix(text, n.root+".")) // compared by the root, shown whole
		out[len(out)-1] = strings.Join(append([]string{r}, n.rest...), ".")
	}
	return out
}

func prefixed(prefix string, names []string) (out []string) {
	for _, n := range names {
		out = append(out, prefix+n)
	}
	return out
}

// Template is a text with placeholders: ${body.id}, with a default behind a bar: ${body.note|none}. One that is nothing but
// a placeholder has the value itself, so that a number stays a number, and nothing where there is nothing.
type Template struct {
	pieces []piece
	text   string
}

type piece struct {
	text     string // where name has no root
	name     name
	fallback *string
}

var placeholder = regexp.MustCompile(`\$\{([^{}]*)\}`)

func parseTemplate(text string, roots []string) (Template, error) {
	t := Template{text: text}
	if len(text) > maxText {
		return t, fmt.Errorf("a template is longer than %d bytes", maxText)
	}
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			t.pieces = append(t.pieces, piece{text: text[at:m[0]]})
		}
		at = m[1]
		said, fallback, has := strings.Cut(text[m[2]:m[3]], "|")
		n, err := parseName(strings.TrimSpace(said), roots)
		if err != nil {
			return t, err
		}
		p := piece{name: n}
		if has {
			p.fallback = &fallback
		}
		t.pieces = append(t.pieces, p)
	}
	if at < len(text) {
		if strings.Contains(text[at:], "${") {
			return t, fmt.Errorf("a placeholder is not ended: %q", text[at:])
		}
		t.pieces = append(t.pieces, piece{text: text[at:]})
	}
	return t, nil
}

func (p piece) value(v view) any {
	if p.name.root == "" {
		return p.text
	}
	found := v.get(p.name)
	if (found == nil || found == "") && p.fallback != nil {
		if *p.fallback == "null" {
			return json.RawMessage("null")
		}
		return *p.fallback
	}
	return found
}

// value is the text with its placeholders filled in; of a lone placeholder the value itself, nil where there is none.
func (t Template) value(v view) any {
	if len(t.pieces) == 0 {
		return ""
	}
	if len(t.pieces) == 1 {
		return t.pieces[0].value(v)
	}
	return t.fill(v)
}

// fill is value as text.
func (t Template) fill(v view) string {
	var b strings.Builder
	for _, p := range t.pieces {
		if b.Len() < maxText {
			b.WriteString(asText(p.value(v)))
		}
	}
	return b.String()
}

// names are those that the template asks for.
func (t Template) names() (out []name) {
	for _, p := range t.pieces {
		if p.name.root != "" {
			out = append(out, p.name)
		}
	}
	return out
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any, []any:
		text, _ := json.Marshal(v) // a tree of JSON's own kinds
		return string(text)
	}
	return fmt.Sprint(v)
}

// Source is where a value of a request stands: body.id, form.a.b, header.X-Id, path.id, query.id, kept.id, setting.id, new.id;
// or a template of such. A bar behind it says what stands for it where it is missing; a bar alone, that it may be missing.
type Source struct {
	Template
	optional bool
}

// DecodeNode reads a source.
func (s *Source) DecodeNode(f *decode.File, n *yaml.Node) error {
	var text string
	if err := f.Decode(n, &text); err != nil {
		return err
	}
	if !strings.Contains(text, "${") {
		text = "${" + text + "}"
	}
	t, err := parseTemplate(text, ofRequest)
	if err != nil {
		return f.Errorf(n, "%s", err)
	}
	s.Template = t
	s.optional = len(t.pieces) == 1 && t.pieces[0].fallback != nil && *t.pieces[0].fallback == ""
	return nil
}

func (s Source) given() bool { return len(s.pieces) > 0 }

// fresh says that the value is made by the bank.
func (s Source) fresh() bool {
	return slices.ContainsFunc(s.names(), func(n name) bool { return n.root == "new" })
}

// field is how errors name the value: by the last part of its name.
func (s Source) field(otherwise string) string {
	if len(s.pieces) != 1 || len(s.pieces[0].name.rest) == 0 {
		return otherwise
	}
	return s.pieces[0].name.rest[len(s.pieces[0].name.rest)-1]
}
