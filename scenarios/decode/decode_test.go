package decode_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// form has every feature that a file's type can have.
type form struct {
	Name    string            `yaml:"name"`
	Amount  int64             `yaml:"amount"`
	Tries   uint64            `yaml:"tries"`
	Spare   int               `yaml:"spare" zero:"none"`
	Factor  float64           `yaml:"factor"`
	Fresh   bool              `yaml:"fresh"`
	States  []string          `yaml:"states"`
	Ports   map[string]int    `yaml:"ports"`
	Body    any               `yaml:"body"`
	After   decode.Duration   `yaml:"after"`
	Rate    decode.Percent    `yaml:"rate"`
	Count   decode.Count      `yaml:"count"`
	Steps   []form            `yaml:"steps"`
	Retries *retries          `yaml:"retries"`
	Odd     odd               `yaml:"odd"`
	Doubled map[string][]even `yaml:"doubled"`
	place   `yaml:",inline"`
	Source  string `yaml:"-"`
	Kept    string
}

type retries struct {
	Max int `yaml:"max"`
}

func (r *retries) Validate() error {
	if r.Max < 1 {
		return errors.New("max: at least 1")
	}
	return nil
}

// place is inlined: its keys are the form's own.
type place struct {
	Link string `yaml:"link"`
	Nth  int    `yaml:"nth"`
}

// even is validated after it was decoded.
type even int

func (e *even) Validate() error {
	if *e%2 != 0 {
		return fmt.Errorf("%d is odd", int(*e))
	}
	return nil
}

// odd decodes itself, from one value under one key.
type odd struct{ Value int }

func (o *odd) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return f.Decode(n, &o.Value)
	}
	return errors.New("expected one number")
}

func read(text string) (form, error) {
	var out form
	f, err := decode.Parse("f.yaml", []byte(text))
	if err == nil {
		err = f.Into(&out)
	}
	return out, err
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       form
	}{
		{"text", "name: x", form{Name: "x"}},
		{"a number as text", "name: 12", form{Name: "12"}},
		{"numbers", "{amount: -500, tries: 3, factor: 1.5}", form{Amount: -500, Tries: 3, Factor: 1.5}},
		{"a whole number where a fraction may be", "factor: 2", form{Factor: 2}},
		{"bool", "fresh: true", form{Fresh: true}},
		{"list", "states: [A, B]", form{States: []string{"A", "B"}}},
		{"one value is a list of one", "states: A", form{States: []string{"A"}}},
		{"one mapping is a list of one", "steps: {name: x}", form{Steps: []form{{Name: "x"}}}},
		{"mapping", "ports: {a: 1, b: 2}", form{Ports: map[string]int{"a": 1, "b": 2}}},
		{"anything", "body: {a: [1, x], b: true}", form{Body: map[string]any{"a": []any{1, "x"}, "b": true}}},
		{"inline", "{link: bank, nth: 2}", form{place: place{Link: "bank", Nth: 2}}},
		{"pointer", "retries: {max: 1}", form{Retries: &retries{Max: 1}}},
		{"a zero that has a meaning", "spare: 0", form{}},
		{"a zero beside other values of a mapping", "ports: {a: 0}", form{Ports: map[string]int{"a": 0}}},
		{"all", "count: all", form{}},
		{"nothing leaves all as it is", "{retries: , states: , ports: , steps: , name: }", form{}},
		{"its own way", "odd: 3", form{Odd: odd{3}}},
		{"validated", "doubled: {a: [2, 4]}", form{Doubled: map[string][]even{"a": {2, 4}}}},
		{"alias", "{name: &n x, states: [*n, *n]}", form{Name: "x", States: []string{"x", "x"}}},
		{"alias of a mapping", "steps: [&s {name: x}, *s]", form{Steps: []form{{Name: "x"}, {Name: "x"}}}},
		{"an explicit document", "---\nname: x\n...\n", form{Name: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"zero", "name: x\namount: 0", `f.yaml:2:9: expected a whole number from 1, found "0", which would count as not given`},
		{"zero in other words", "tries: 0x0", `expected a whole number from 1, found "0x0"`},
		{"zero of a fraction", "factor: 0.0", `expected a number above 0, found "0.0"`},
		{"zero of a key inlined", "nth: 0", `f.yaml:1:6: expected a whole number from 1, found "0"`},
		{"no time", "after: 0s", `expected a duration above 0, found "0s"`},
		{"no share", "rate: 0%", `expected a share above 0, found "0%"`},
		{"zero by an alias", "{odd: &z 0, amount: *z}", "expected a whole number from 1"},
		{"nothing for a number", "amount:", "expected a whole number from 1, found nothing"},
		{"unknown key", "name: x\nammount: 5", `f.yaml:2:1: unknown key "ammount"; did you mean "amount"?`},
		{"unknown key within", "steps:\n  - name: x\n    link: y\n    nthh: 1", `f.yaml:4:5: unknown key "nthh"; did you mean "nth"?`},
		{"unlike any key", "zzzzzzzz: 1", `f.yaml:1:1: unknown key "zzzzzzzz"; valid are: after, amount, body, count,`},
		{"a field without a tag is no key", "Kept: x", `f.yaml:1:1: unknown key "Kept"`},
		{"a hidden field is no key", "Source: x", `f.yaml:1:1: unknown key "Source"`},
		{"text for a number", "amount: lots", `f.yaml:1:9: expected a whole number, found "lots"`},
		{"quoted number", `amount: "5"`, `f.yaml:1:9: expected a whole number, found "5"`},
		{"a fraction of a minor unit", "amount: 500.75", `f.yaml:1:9: expected a whole number, found "500.75"`},
		{"a fraction that is whole", "amount: 5e2", `f.yaml:1:9: expected a whole number, found "5e2"`},
		{"a number too large", "amount: 9223372036854775808", `f.yaml:1:9: expected a whole number, found "9223372036854775808"`},
		{"a negative count of tries", "tries: -1", `f.yaml:1:8: expected a whole number, found "-1"`},
		{"text for a fraction", "factor: half", `f.yaml:1:9: expected a number, found "half"`},
		{"text for a bool", "fresh: perhaps", `f.yaml:1:8: expected true or false, found "perhaps"`},
		{"list for text", "name: [a]", `f.yaml:1:7: expected text, found a list`},
		{"mapping for text", "name: {a: b}", `f.yaml:1:7: expected text, found keys and values`},
		{"text for a mapping", "ports: x", `f.yaml:1:8: expected keys and values, found "x"`},
		{"text for a struct", "retries: x", `f.yaml:1:10: expected keys and values (max), found "x"`},
		{"list for the document", "- a", `f.yaml:1:1: expected keys and values (name, amount, tries, spare, factor, fresh,`},
		{"a value of a mapping", "ports: {a: 1,\n b: x}", `f.yaml:2:5: expected a whole number, found "x"`},
		{"an item of a list", "doubled: {a: [2,\n 3]}", `f.yaml:2:2: 3 is odd`},
		{"not valid as a whole", "name: x\nretries: {max: 0}", `f.yaml:2:10: max: at least 1`},
		{"its own way, badly", "odd: [1]", `f.yaml:1:6: expected one number`},
		{"its own way, badly within", "odd: x", `f.yaml:1:6: expected a whole number, found "x"`},
		{"duplicate key", "name: x\nfresh: true\nname: y", `f.yaml:3:1: key "name" is given twice; the first is on line 1`},
		{"duplicate key of a mapping", "ports: {a: 1, a: 2}", `f.yaml:1:15: key "a" is given twice; the first is on line 1`},
		{"duplicate key of anything", "body:\n  a: 1\n  a: 2", `f.yaml:3:3: key "a" is given twice; the first is on line 2`},
		{"key that is no key", "ports: {[a]: 1}", `f.yaml:1:9: expected a key, found a list`},
		{"merge key", "ports: {<<: {a: 1}}", `f.yaml:1:9: the merge key << is not understood; write the keys out`},
		{"merge key in anything", "body: {<<: {a: 1}}", `f.yaml:1:8: the merge key << is not understood; write the keys out`},
		{"empty", "", `f.yaml:1:1: the file is empty`},
		{"only a comment", "# nothing\n", `f.yaml:1:1: the file is empty`},
		{"not YAML", "a: b\n\tc: d", `f.yaml:2:1: not valid YAML: `},
		{"not YAML, without a line", "a: \xff", `f.yaml: not valid YAML: `},
		{"unknown alias", "name: *x", `f.yaml: not valid YAML: unknown anchor 'x' referenced`},
		{"second document", "name: x\n---\nname: y", `f.yaml:2:1: a second document begins here; a file holds one`},
		{"second document is not YAML", "name: x\n---\nname: [", `f.yaml:`},
		{"an alias within itself", "steps: &s [{steps: *s}]", `f.yaml:1:20: alias *s stands within what it stands for`},
		{"an alias within itself, in anything", "body: &b [*b]", `f.yaml:1:7: cannot be read: anchor 'b' value contains itself`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.text)
			require.ErrorContains(t, err, c.want)
			var at *decode.Error
			require.ErrorAs(t, err, &at)
			assert.Equal(t, "f.yaml", at.File)
		})
	}
}

func TestAliasesMayNotMultiply(t *testing.T) {
	laughs := func(levels int) string {
		var b strings.Builder
		b.WriteString("doubled: {x: &l0 [2]}\nsteps:\n- &s0 {name: x}\n")
		for i := 1; i <= levels; i++ {
			fmt.Fprintf(&b, "- &s%d {steps: [%s*s%d]}\n", i, strings.Repeat(fmt.Sprintf("*s%d, ", i-1), 9), i-1)
		}
		return b.String()
	}
	_, err := read(laughs(3))
	require.NoError(t, err, "aliases are no mistake")
	_, err = read(laughs(9))
	require.ErrorContains(t, err, "the file holds more than 100000 values")

	_, err = read("body: " + strings.ReplaceAll(laughs(9)[strings.Index(laughs(9), "- &s0"):], "- &s", "\n - &s"))
	require.Error(t, err, "a value of any kind is bounded too")
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"after: 250ms", "250ms"}, {"after: 1m30s", "1m30s"}, {"after: 0", `expected a duration above 0, found "0"`},
		{"after: 5", `f.yaml:1:8: expected a duration such as 250ms, 3s or 10m, found "5"`},
		{"after: soon", `found "soon"`},
		{"after: -1s", `f.yaml:1:8: expected a duration, found "-1s", which is negative`},
		{"after: [1s]", "found a list"}, {"after:", "found nothing"}, {"after: 9999999999h", "expected a duration"},
		{"rate: 30%", "30%"}, {"rate: 0.3", "30%"}, {"rate: 7 %", `found "7 %"`}, {"rate: 100%", "100%"}, {"rate: 0", `expected a share above 0, found "0"`},
		{"rate: 12.5%", "12.5%"}, {"rate: 101%", `f.yaml:1:7: expected a share such as 30% or 0.3, found "101%"`},
		{"rate: 30", `found "30"`}, {"rate: -1%", `found "-1%"`}, {"rate: NaN", `found "NaN"`}, {"rate: {a: 1}", "found keys and values"},
		{"count: 1", "1"}, {"count: all", "all"},
		{"count: 0", `f.yaml:1:8: expected a whole number from 1, or all, found "0"`},
		{"count: -2", `found "-2"`}, {"count: 1.5", `found "1.5"`}, {"count: many", `found "many"`}, {"count: [1]", "found a list"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := read(c.text)
			if err != nil {
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "expected")
				return
			}
			field, _, _ := strings.Cut(c.text, ":")
			values := map[string]fmt.Stringer{"after": got.After, "rate": got.Rate, "count": got.Count}
			assert.Equal(t, c.want, values[field].String())
		})
	}
}

func TestNearest(t *testing.T) {
	valid := []string{"lost-answer", "lost-request", "hold", "bank-slow"}
	for name, want := range map[string]string{
		"lost-anser": "lost-answer", "LOST-ANSWER": "lost-answer", "hld": "hold", "bank": "bank-slow", "quux": "", "": "", "ba": "",
	} {
		assert.Equal(t, want, decode.Nearest(name, valid), name)
	}
	assert.Equal(t, `unknown fault "holdd"; did you mean "hold"?`, decode.UnknownName("fault", "holdd", valid))
	assert.Equal(t, `unknown fault "quux"; valid are: bank-slow, hold, lost-answer, lost-request`, decode.UnknownName("fault", "quux", valid))
	assert.Equal(t, `unknown key "x"; none is valid here`, decode.UnknownName("key", "x", nil))
	assert.Equal(t, []string{"lost-answer", "lost-request", "hold", "bank-slow"}, valid, "the caller's list stays as it is")
}

func TestErrorWithoutAPlace(t *testing.T) {
	assert.Equal(t, "f.yaml: bad", (&decode.Error{File: "f.yaml", Msg: "bad"}).Error())
	assert.Equal(t, "f.yaml:3:4: bad", (&decode.Error{File: "f.yaml", Line: 3, Column: 4, Msg: "bad"}).Error())
}

// FuzzDecode holds that no text makes the reader panic or run on, and that every error names the file.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "name: x", "{amount: -500, tries: 3, factor: 1.5, fresh: true}", "states: A", "ports: {a: 1}", "body: {a: [1, {b: .nan}]}",
		"{after: 3s, rate: 30%, count: all}", "steps: [&s {name: x}, *s]", "steps: &s [{steps: *s}]", "{link: bank, nth: 2}",
		"odd: 3", "doubled: {a: [2]}", "a: 1\n---\nb: 2", "? [x]\n: y", "<<: {name: x}", "name: !!binary aGk=", "retries: {max: 0}",
		"body: &b [*b]", "name: !!int x", "\xef\xbb\xbfname: x", "name: |\n  x", "- - - -", "amount: 0x1p2", "after: !!timestamp 2001-01-01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := read(text); err != nil {
			var at *decode.Error
			require.ErrorAs(t, err, &at)
			require.Equal(t, "f.yaml", at.File)
			require.True(t, strings.HasPrefix(err.Error(), "f.yaml:"), err.Error())
		}
	})
}
