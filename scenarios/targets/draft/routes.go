package draft

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// payWords are what the path of a payment is likely called, the likeliest first.
var payWords = []string{"payment", "pay", "checkout", "transfer", "charge", "order", "purchase"}

// keyHeaders are headers that keys travel in.
var keyHeaders = regexp.MustCompile(`(?i)\b(X-)?Idempotency-Key\b|\bX-Request-Id\b`)

// described is what of an OpenAPI description tells how a payment is made.
type described struct {
	Paths      map[string]map[string]yaml.Node `yaml:"paths"`
	Components struct {
		Schemas map[string]property `yaml:"schemas"`
	} `yaml:"components"`
}

type operation struct {
	Parameters []struct {
		Name string `yaml:"name"`
		In   string `yaml:"in"`
	} `yaml:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema property `yaml:"schema"`
		} `yaml:"content"`
	} `yaml:"requestBody"`
}

type property struct {
	Ref        string              `yaml:"$ref"`
	Type       string              `yaml:"type"`
	Example    any                 `yaml:"example"`
	Default    any                 `yaml:"default"`
	Properties map[string]property `yaml:"properties"`
}

// lookAPI takes the request of a payment out of an OpenAPI description.
func lookAPI(s *Service, from *sources) {
	name, text := from.first("openapi.yaml", "openapi.yml", "openapi.json", "swagger.yaml", "swagger.yml", "swagger.json")
	var d described
	if name == "" || yaml.Unmarshal([]byte(text), &d) != nil {
		return
	}
	var paths []string
	for p, methods := range d.Paths {
		if _, post := methods["post"]; post && !strings.Contains(p, "{") {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	s.Submit = likeliest(paths)
	node := d.Paths[s.Submit]["post"]
	var o operation
	if s.Submit == "" || node.Decode(&o) != nil {
		return
	}
	s.found("%s describes POST %s", name, s.Submit)
	for _, p := range o.Parameters {
		if p.In == "header" && keyHeaders.MatchString(p.Name) {
			s.Header = p.Name
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		schema := o.RequestBody.Content[kind].Schema
		if ref := schema.Ref[strings.LastIndex(schema.Ref, "/")+1:]; ref != "" {
			schema = d.Components.Schemas[ref]
		}
		s.Form = strings.Contains(kind, "form")
		s.Fields = nil
		for _, field := range slices.Sorted(maps.Keys(schema.Properties)) {
			s.Fields = append(s.Fields, Field{field, valueFor(field, schema.Properties[field])})
		}
	}
}

// fieldWords say what the name of a field asks for.
var fieldWords = []struct{ word, value string }{
	{"amount", "${amount}"}, {"total", "${amount}"}, {"currency", "${currency}"}, {"idempotency", "${key}"}, {"key", "${key}"},
	{"correlation", "${key}"}, {"request", "${key}"}, {"order", "${order}"}, {"reference", "${order}"}, {"account", "${account}"},
	{"customer", "${account}"}, {"user", "${account}"}, {"payer", "${account}"},
}

func valueFor(field string, p property) string {
	for _, f := range fieldWords {
		if strings.Contains(strings.ToLower(field), f.word) {
			return f.value
		}
	}
	for _, v := range []any{p.Example, p.Default} {
		if v != nil {
			out, _ := json.Marshal(v)
			return strings.Trim(string(out), `"`)
		}
	}
	return map[string]string{"integer": "1", "number": "1", "boolean": "true"}[p.Type] + map[bool]string{true: "x"}[p.Type == "string" || p.Type == ""]
}

// likeliest is the path that a payment most likely has.
func likeliest(paths []string) string {
	for _, word := range payWords {
		for _, p := range paths {
			if strings.Contains(strings.ToLower(p), word) {
				return p
			}
		}
	}
	return ""
}

var (
	postRoute  = regexp.MustCompile(`POST\s+(/[A-Za-z0-9_/-]+)|(?i:\.post)\(\s*["'](/[A-Za-z0-9_/-]+)["']`)
	anyRoute   = regexp.MustCompile(`["'](/[A-Za-z0-9_/-]+?)/?["']`)
	readyRoute = regexp.MustCompile(`["'](/(?:health|healthz|ready|readyz|ping|status|actuator/health))["']`)
	formUse    = regexp.MustCompile(`URLSearchParams\(body|parse_qs|request\.form|FormValue\(`)
)

// lookRoutes finds in the source what no description says.
func lookRoutes(s *Service, from *sources) {
	var posts, others []string
	for _, file := range from.with(codeFiles...) {
		text := from.text(file)
		for _, m := range postRoute.FindAllStringSubmatch(text, -1) {
			posts = append(posts, m[1]+m[2])
		}
		for _, m := range anyRoute.FindAllStringSubmatch(text, -1) {
			others = append(others, m[1])
		}
		if m := readyRoute.FindStringSubmatch(text); m != nil && s.Ready == "" {
			s.Ready = m[1]
			s.found("%s answers GET %s", file, m[1])
		}
		if m := keyHeaders.FindString(text); m != "" && s.Header == "" {
			s.Header = m
			s.found("%s has the header %s", file, m)
		}
		s.Form = s.Form || s.Submit == "" && formUse.MatchString(text)
	}
	if s.Submit == "" {
		if s.Submit = likeliest(posts); s.Submit == "" {
			s.Submit = likeliest(others)
		}
		if s.Submit != "" {
			s.found("the source has POST %s", s.Submit)
		}
	}
}

// bankWords are what the path of a provider's call is likely called.
var bankWords = regexp.MustCompile(`(?i)charge|debit|payment_intents|capture|process`)

// lookCalls finds the path under which the service asks its bank for money: one that is not a path of its own.
func lookCalls(s *Service, from *sources) {
	for _, file := range from.with(codeFiles...) {
		for _, m := range anyRoute.FindAllStringSubmatch(from.text(file), -1) {
			if path := m[1]; bankWords.MatchString(path) && path != s.Submit && len(s.Calls) == 0 {
				s.Calls = append(s.Calls, path)
				s.found("%s asks a bank for money by %s", file, path)
			}
		}
	}
}
