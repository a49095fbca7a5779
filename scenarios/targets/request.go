package targets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onedebit/scenarios/decode"
)

// maxAnswer bounds how much of an answer is read; a service that sends more gets its answer cut off.
const maxAnswer = 1 << 20

// Request is one HTTP request with placeholders.
type Request struct {
	Post    string            `yaml:"post"`
	Get     string            `yaml:"get"`
	Put     string            `yaml:"put"`
	Delete  string            `yaml:"delete"`
	Headers map[string]string `yaml:"headers"`
	JSON    any               `yaml:"json"`
	Form    map[string]string `yaml:"form"`    // in place of json: fields as a page in a browser posts them
	Capture map[string]string `yaml:"capture"` // variable by path into the answer, such as key: body.token

	reversed bool // the fields of the body in reverse order
}

// line is the method and the path.
func (r *Request) line() (method, path string) {
	switch {
	case r.Post != "":
		return http.MethodPost, r.Post
	case r.Put != "":
		return http.MethodPut, r.Put
	case r.Delete != "":
		return http.MethodDelete, r.Delete
	}
	return http.MethodGet, r.Get
}

// given says whether there is anything of a request.
func (r *Request) given() bool {
	return r.Post+r.Get+r.Put+r.Delete != "" || r.JSON != nil || r.Form != nil || len(r.Headers)+len(r.Capture) > 0
}

// Validate checks that there is one method and one body, and that the body can be sent as JSON.
func (r *Request) Validate() error {
	n := 0
	for _, path := range []string{r.Post, r.Get, r.Put, r.Delete} {
		if path != "" {
			n++
		}
	}
	if n != 1 {
		return errors.New("a request needs either post: or get: with a path (or put: or delete:)")
	}
	if r.JSON != nil && r.Form != nil {
		return errors.New("a request has one body: json or form")
	}
	if _, err := json.Marshal(r.JSON); err != nil {
		return fmt.Errorf("json: %w; keys are text, and numbers finite", err)
	}
	return nil
}

// names are the placeholders that the request uses.
func (r *Request) names() (out []string) {
	add := func(text string) { out = append(out, namesIn(text)...) }
	_, path := r.line()
	add(path)
	for _, texts := range []map[string]string{r.Headers, r.Form} {
		for _, text := range texts {
			add(text)
		}
	}
	walk(r.JSON, add)
	return out
}

// namesIn are the placeholders of a text.
func namesIn(text string) (out []string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// walk visits all texts in decoded YAML.
func walk(x any, visit func(string)) {
	switch x := x.(type) {
	case string:
		visit(x)
	case map[string]any:
		for _, item := range x {
			walk(item, visit)
		}
	case []any:
		for _, item := range x {
			walk(item, visit)
		}
	}
}

// Vars are the values of placeholders. A number stays a number where a placeholder stands alone in JSON.
type Vars map[string]any

// Omitted is the value of a placeholder that is to leave out whatever names it: a header, or a field of a body.
var Omitted = omitted{}

type omitted struct{}

// omits says whether a text names a placeholder that is left out.
func (v Vars) omits(x any) bool {
	text, _ := x.(string)
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if v[m[1]] == Omitted {
			return true
		}
	}
	return false
}

// With is a copy of the variables with more of them.
func (v Vars) With(more Vars) Vars {
	out := make(Vars, len(v)+len(more))
	for _, m := range []Vars{v, more} {
		for k, val := range m {
			out[k] = val
		}
	}
	return out
}

var placeholder = regexp.MustCompile(`\$\{([^{}]*)\}`)

// Expand replaces the placeholders of a text. One without a value is an error that names the nearest.
func (v Vars) Expand(text string) (string, error) {
	var missing error
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-1]
		val, ok := v[name]
		if !ok {
			missing = errors.New(decode.UnknownName("placeholder", name, v.names()))
			return m
		}
		return fmt.Sprint(val)
	})
	return out, missing
}

func (v Vars) names() []string {
	out := make([]string, 0, len(v))
	for k := range v {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// fill replaces placeholders anywhere in decoded YAML.
func (v Vars) fill(x any) (any, error) {
	switch x := x.(type) {
	case string:
		if m := placeholder.FindStringSubmatch(x); m != nil && m[0] == x {
			if val, ok := v[m[1]]; ok {
				return val, nil
			}
		}
		return v.Expand(x)
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, val := range x {
			if v.omits(val) {
				continue
			}
			filled, err := v.fill(val)
			if err != nil {
				return nil, err
			}
			out[k] = filled
		}
		return out, nil
	case []any:
		out := make([]any, len(x))
		for i, val := range x {
			filled, err := v.fill(val)
			if err != nil {
				return nil, err
			}
			out[i] = filled
		}
		return out, nil
	}
	return x, nil
}

// Altered is the request with further fields in its body, or other values for those that it has, and with the fields in
// reverse order where wanted. A request whose body has no fields stays as it is.
func (r *Request) Altered(fields map[string]any, reversed bool) *Request {
	out := *r
	out.reversed = reversed
	switch body := r.JSON.(type) {
	case map[string]any:
		out.JSON = map[string]any(Vars(body).With(fields))
	case nil:
		if r.Form == nil {
			break
		}
		out.Form = maps.Clone(r.Form)
		for name, value := range fields {
			out.Form[name] = fmt.Sprint(value)
		}
	}
	return &out
}

// body is the body with placeholders filled in, and its media type; nil where there is none.
func (r *Request) body(vars Vars) (io.Reader, string, error) {
	if r.Form != nil {
		form := url.Values{}
		for name, text := range r.Form {
			if vars.omits(text) {
				continue
			}
			value, err := vars.Expand(text)
			if err != nil {
				return nil, "", err
			}
			form.Set(name, value)
		}
		fields := strings.Split(form.Encode(), "&")
		if r.reversed {
			slices.Reverse(fields)
		}
		return strings.NewReader(strings.Join(fields, "&")), "application/x-www-form-urlencoded", nil
	}
	if r.JSON == nil {
		return nil, "", nil
	}
	filled, err := vars.fill(r.JSON)
	if err != nil {
		return nil, "", err
	}
	data, err := json.Marshal(filled)
	if fields, ok := filled.(map[string]any); ok && err == nil && r.reversed {
		data, err = reversed(fields)
	}
	return bytes.NewReader(data), "application/json", err
}

// reversed is an object with its fields in the reverse of the order in which they are written otherwise.
func reversed(fields map[string]any) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(fields))) {
		field, err := json.Marshal(map[string]any{name: fields[name]})
		if err != nil {
			return nil, err
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.Write(field[1 : len(field)-1])
	}
	return append(append([]byte{'{'}, out.Bytes()...), '}'), nil
}

// Build makes the HTTP request for a service at base, for example http://127.0.0.1:8080.
func (r *Request) Build(ctx context.Context, base string, vars Vars) (*http.Request, error) {
	method, path := r.line()
	path, err := vars.Expand(path)
	if err != nil {
		return nil, fmt.Errorf("request %s %s: %w", method, path, err)
	}
	body, kind, err := r.body(vars)
	if err != nil {
		return nil, fmt.Errorf("body of %s %s: %w", method, path, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return nil, fmt.Errorf("request %s %s: %w", method, path, err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for name, value := range r.Headers {
		if vars.omits(value) {
			continue
		}
		if value, err = vars.Expand(value); err != nil {
			return nil, fmt.Errorf("header %s of %s %s: %w", name, method, path, err)
		}
		req.Header.Set(name, value)
	}
	// The harness decides about retries itself: net/http must not send a request again on its own, which it
	// would do for one that carries a header named like an idempotency key.
	req.GetBody = nil
	return req, nil
}

// Reply is an answer of the service, read and taken apart.
type Reply struct {
	HTTP  int
	Whole any // what the body says where it is JSON, else nil
	Raw   []byte
}

// ReadReply reads an answer; what is not JSON has nothing in Whole.
func ReadReply(resp *http.Response) (*Reply, error) {
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer %d: %w", resp.StatusCode, err)
	}
	r := &Reply{HTTP: resp.StatusCode, Raw: raw}
	if json.Valid(raw) {
		// Numbers stay as they are written: an id of many digits is not to be rounded.
		body := json.NewDecoder(bytes.NewReader(raw))
		body.UseNumber()
		_ = body.Decode(&r.Whole)
	}
	return r, nil
}

// At is the text at a path such as body.status, or "" where there is nothing.
func (r *Reply) At(path string) string {
	first, rest, _ := strings.Cut(path, ".")
	if first != "body" || rest == "" {
		return ""
	}
	return textAt(r.Whole, strings.Split(rest, "."))
}

// dig is what stands at a path such as body.items; the body itself at body.
func (r *Reply) dig(path string) any {
	first, rest, within := strings.Cut(path, ".")
	switch {
	case first != "body":
		return nil
	case !within:
		return r.Whole
	}
	return valueIn(r.Whole, strings.Split(rest, "."))
}

// valueIn is what stands at a path within a tree; a number is a place in a list.
func valueIn(tree any, path []string) any {
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

// textAt is valueIn as text.
func textAt(tree any, path []string) string {
	found := valueIn(tree, path)
	if found == nil {
		return ""
	}
	return fmt.Sprint(found)
}
