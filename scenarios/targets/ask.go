package targets

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Ask is a question about one payment to which the service's own records have the answer: SQL, a request, or a command. In
// SQL :key, :amount, :order, :account, :n and what was captured for the payment stand for values; elsewhere they are
// placeholders.
type Ask struct {
	SQL string `yaml:"sql"`

	Get     string            `yaml:"get"` // path of a request
	Headers map[string]string `yaml:"headers"`
	Count   string            `yaml:"count"` // path of a list, whose items are counted, or of a number
	State   string            `yaml:"state"` // path of a word: in the answer, or in each item of the list
	Is      []string          `yaml:"is"`    // the words that count

	Run []string `yaml:"run"` // a command that prints the answer
}

// names are the names of the values that it needs.
func (a *Ask) names() (out []string) {
	_, out = parameters(a.SQL)
	texts := append([]string{a.Get}, a.Run...)
	for _, text := range a.Headers {
		texts = append(texts, text)
	}
	for _, text := range texts {
		out = append(out, namesIn(text)...)
	}
	return out
}

// DecodeNode reads SQL, or one of {sql: …}, {get: …} and {run: […]}.
func (a *Ask) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return f.Decode(n, &a.SQL)
	}
	type plain Ask
	if err := f.Decode(n, (*plain)(a)); err != nil {
		return err
	}
	ways := 0
	for _, given := range []bool{a.SQL != "", a.Get != "", len(a.Run) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("ask in one way: with SQL, {get: /payments/${key}, state: body.status, is: [PAID]}, or {run: [COMMAND]}")
	case a.Get == "" && (a.Count != "" || a.State != "" || len(a.Is)+len(a.Headers) > 0):
		return errors.New("headers, count, state and is go with get")
	case a.Get != "" && !strings.HasPrefix(a.Get, "/"):
		return errors.New("get: give a path, such as /payments/${key}")
	case a.Get != "" && a.Count == "" && a.State == "":
		return errors.New("get: say what of the answer counts: count: body.items, or state: body.status and is: [PAID]")
	case (a.State == "") != (len(a.Is) == 0):
		return errors.New("state and is go together: a path, and the words that count")
	}
	return nil
}
