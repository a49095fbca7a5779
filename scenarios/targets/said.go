package targets

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
)

// Said is what answers say that mean something: statuses, or values at paths such as body.status.
type Said struct {
	HTTP []int
	At   map[string][]string
}

// DecodeNode reads a list of statuses, or {http: [200], body.status: [PAID]}.
func (s *Said) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return f.Decode(n, &s.HTTP)
	}
	s.At = map[string][]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		switch {
		case key.Value == "http":
			err = f.Decode(value, &s.HTTP)
		case pathForm.MatchString(key.Value):
			var words []string
			err = f.Decode(value, &words)
			s.At[key.Value] = words
		default:
			err = f.Errorf(key, "%q is neither http nor a path such as body.status", key.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Given says whether the file says something.
func (s *Said) Given() bool { return len(s.HTTP)+len(s.At) > 0 }

// pathForm is a path into an answer.
var pathForm = regexp.MustCompile(`^body(\.[^.]+)+$`)

// meanings are the rules that follow from what the file says in short. What a payment says of its own comes first; a status
// that nobody speaks of means what it does in most services. Where the file says which answers confirm, no other does: a
// service that accepts a payment and decides later answers 200 to both.
func (p *Payment) meanings() (out []Meaning) {
	confirmed := []int{200, 201}
	if p.Confirmed.Given() || len(p.Accepts()) > 0 {
		confirmed = nil
	}
	for _, s := range []struct {
		said  Said
		means history.Outcome
	}{{p.Declined, history.Declined}, {p.Duplicate, history.Pending}, {p.Pending, history.Pending}, {p.Confirmed, history.Confirmed}} {
		if s.said.Given() {
			out = append(out, Meaning{HTTP: s.said.HTTP, At: s.said.At, Means: s.means})
		}
	}
	if confirmed != nil {
		out = append(out, Meaning{HTTP: confirmed, Means: history.Confirmed})
	}
	taken := slices.Concat(p.Accepts(), []int{200, 201, 202, 204, 409})
	refused := []int{400, 401, 403, 404, 405, 406, 410, 411, 412, 413, 415, 422, 428, 429, 431}
	return append(out, Meaning{HTTP: taken, Means: history.Pending}, Meaning{HTTP: []int{402}, Means: history.Declined},
		Meaning{HTTP: refused, Means: history.Refused})
}
