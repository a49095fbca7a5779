package dialects

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// Pattern is which requests a call is: a method and a path, as in POST /v1/payments/{id}/capture. A capture takes a whole
// segment of the path, or what is left of it after the text around it, as in /v1/charges/ch_{id}.
type Pattern struct {
	Method   string
	segments []Match
	text     string
}

// UnmarshalYAML reads a pattern.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	text := n.Value
	method, path, ok := strings.Cut(strings.TrimSpace(text), " ")
	path = strings.TrimSpace(path)
	if !ok || !strings.HasPrefix(path, "/") {
		return fmt.Errorf("expected a method and a path such as POST /v1/payments/{id}, found %q", text)
	}
	if !slices.Contains(methods, method) {
		return fmt.Errorf("unknown method %q; use one of %s", method, strings.Join(methods, ", "))
	}
	*p = Pattern{Method: method, text: method + " " + path}
	for _, part := range strings.Split(path[1:], "/") {
		m, err := parseMatch(part)
		if err != nil {
			return err
		}
		p.segments = append(p.segments, m)
	}
	return nil
}

func (p Pattern) String() string { return p.text }

// captures are the names that the path gives.
func (p Pattern) captures() (out []string) {
	for _, s := range p.segments {
		if s.name != "" {
			out = append(out, s.name)
		}
	}
	return out
}

// match says whether a request is meant, and what it has in the places of the captures.
func (p Pattern) match(method string, escapedPath string) (map[string]any, bool) {
	parts := strings.Split(strings.TrimPrefix(escapedPath, "/"), "/")
	if method != p.Method || len(parts) != len(p.segments) {
		return nil, false
	}
	found := map[string]any{}
	for i, part := range parts {
		text, err := url.PathUnescape(part)
		if err != nil || !p.segments[i].match(text, found) {
			return nil, false
		}
	}
	return found, true
}

// Match is a text with at most one capture in it, as in ch_{id}; without a capture it is that very text.
type Match struct {
	before, name, after string
}

var capture = regexp.MustCompile(`^([^{}]*)(?:\{([a-z][a-z0-9_]*)\}([^{}]*))?$`)

// UnmarshalYAML reads a match.
func (m *Match) UnmarshalYAML(n *yaml.Node) (err error) {
	if n.Kind != yaml.ScalarNode {
		return errors.New("expected a text, or null where there must be nothing")
	}
	*m, err = parseMatch(n.Value)
	return err
}

func parseMatch(text string) (Match, error) {
	found := capture.FindStringSubmatch(text)
	if found == nil {
		return Match{}, fmt.Errorf("%q: write at most one capture, such as {id}, in lower case", text)
	}
	return Match{before: found[1], name: found[2], after: found[3]}, nil
}

func (m Match) match(text string, into map[string]any) bool {
	if m.name == "" {
		return text == m.before
	}
	rest, ok := strings.CutPrefix(text, m.before)
	if !ok {
		return false
	}
	rest, ok = strings.CutSuffix(rest, m.after)
	if !ok || rest == "" {
		return false
	}
	into[m.name] = rest
	return true
}
