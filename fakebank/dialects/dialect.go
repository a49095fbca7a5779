// Package dialects is the fake bank's API as other providers speak it.
//
// A dialect is data: which requests are which calls, what each does to money, where amounts and numbers stand, how outcomes
// are told, how repeats are recognised, and how notifications are worded and signed. The bank itself stays the same, so that
// every behaviour and every mode works in every dialect. The dialects in folder builtin are written in the format that users
// write.
package dialects

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios/decode"
)

// Dialect is one provider's API.
type Dialect struct {
	Name     string                    `yaml:"dialect"` // its own name, or that of the built-in dialect that is meant
	Title    string                    `yaml:"title"`
	Settings map[string]string         `yaml:"settings"` // what whoever starts the bank may set, with what it is else
	Currency string                    `yaml:"currency"` // of calls that name none
	Case     string                    `yaml:"currency-case"`
	Words    map[string]map[string]any `yaml:"words"`   // by table and status
	Belongs  Source                    `yaml:"belongs"` // joins calls to payments where a call does not say how
	Headers  map[string]text           `yaml:"headers"`
	Replies  Replies                   `yaml:"replies"` // to what a call has no reply of its own for
	Calls    []*Call                   `yaml:"calls"`   // the first that fits is meant
	Notices  map[string]*Callback      `yaml:"callbacks"`
}

// maxFile bounds the text of a dialect.
const maxFile = 1 << 20

// Parse reads a dialect. Errors name file, line and column, and the nearest valid name.
func Parse(file string, data []byte) (*Dialect, error) {
	if len(data) > maxFile {
		return nil, &decode.Error{File: file, Msg: fmt.Sprintf("a dialect is at most %d bytes long", maxFile)}
	}
	f, err := decode.Parse(file, data)
	if err != nil {
		return nil, err
	}
	d := &Dialect{}
	return d, f.Into(d)
}

// DecodeNode reads a dialect, also one that stands in another file. Without calls it is the built-in one of that name, with
// other settings.
func (d *Dialect) DecodeNode(f *decode.File, n *yaml.Node) error {
	type plain Dialect
	if err := f.Decode(n, (*plain)(d)); err != nil {
		return err
	}
	if len(d.Calls) == 0 {
		return d.builtin(f, n)
	}
	return d.check(f, n)
}

func (d *Dialect) builtin(f *decode.File, n *yaml.Node) error {
	if d.Name == "" {
		return f.Errorf(n, "calls is missing: say which requests the bank understands, or the built-in dialect (%s)", strings.Join(Names(), ", "))
	}
	found, err := Named(d.Name)
	if err != nil {
		return f.Unknown(at(n, "dialect"), "dialect", d.Name, Names())
	}
	for _, name := range sortedKeys(d.Settings) {
		if _, known := found.Settings[name]; !known {
			return f.Unknown(at(n, "settings"), "setting of dialect "+d.Name, name, sortedKeys(found.Settings))
		}
	}
	settings := maps.Clone(found.Settings)
	maps.Copy(settings, d.Settings)
	belongs := d.Belongs
	*d = *found
	d.Settings = settings
	if belongs.given() {
		d.Belongs = belongs
	}
	return nil
}

//go:embed builtin/*.yaml
var builtin embed.FS

// Names are the built-in dialects.
func Names() (out []string) {
	files, _ := fs.Glob(builtin, "builtin/*.yaml") // the pattern is well formed
	for _, f := range files {
		out = append(out, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	return out
}

// Text is the text of a built-in dialect.
func Text(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%s", decode.UnknownName("dialect", name, Names()))
	}
	return builtin.ReadFile("builtin/" + name + ".yaml")
}

// Named is a built-in dialect.
func Named(name string) (*Dialect, error) {
	data, err := Text(name)
	if err != nil {
		return nil, err
	}
	return Parse(name+".yaml", data)
}

// Open is the built-in dialect of that name, or the one in a file whose name ends in .yaml.
func Open(name string, readFile func(string) ([]byte, error)) (*Dialect, error) {
	if path.Ext(name) != ".yaml" {
		return Named(name)
	}
	data, err := readFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading a dialect: %w", err)
	}
	return Parse(name, data)
}

// All are the built-in dialects. It panics where one of them is not well formed, which is a mistake in this package.
func All() (out []*Dialect) {
	for _, name := range Names() {
		d, err := Named(name)
		if err != nil {
			panic(err)
		}
		out = append(out, d)
	}
	return out
}

// statuses are the words for how a payment stands, as they are written in a dialect.
var statuses = []string{"closed", "failed", "held", "open", "processing", "success"}

func (d *Dialect) word(table, status string) any {
	if word := d.Words[table][strings.ToLower(status)]; word != nil {
		return word
	}
	return orNothing(status)
}

// check holds what can only be said of a dialect as a whole.
func (d *Dialect) check(f *decode.File, n *yaml.Node) error {
	if d.Currency != "" && !currencyCode.MatchString(d.Currency) {
		return f.Errorf(at(n, "currency"), "currency %q: use three capital letters, such as CNY", d.Currency)
	}
	if cases := []string{"", "lower", "upper"}; !slices.Contains(cases, d.Case) {
		return f.Unknown(at(n, "currency-case"), "case", d.Case, cases[1:])
	}
	for _, table := range sortedKeys(d.Words) {
		for _, status := range sortedKeys(d.Words[table]) {
			if !slices.Contains(statuses, status) {
				return f.Unknown(at(at(n, "words"), table), "status", status, statuses)
			}
			switch d.Words[table][status].(type) {
			case string, bool, int:
			default:
				return f.Errorf(at(at(at(n, "words"), table), status), "expected a text, a whole number, true or false")
			}
		}
	}
	for _, c := range d.Calls {
		if err := d.checkCall(f, c); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(d.Notices) {
		if err := d.checkNotice(f, at(at(n, "callbacks"), name), d.Notices[name]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dialect) checkCall(f *decode.File, c *Call) error {
	if c.Callback != "" && d.Notices[c.Callback] == nil {
		return f.Unknown(at(c.node, "callback"), "callback", c.Callback, sortedKeys(d.Notices))
	}
	for _, earlier := range d.Calls {
		if earlier == c {
			break
		}
		if earlier.On.text == c.On.text && len(earlier.When) == 0 {
			return f.Errorf(at(c.node, "on"), "%s never comes to this call: the one before it takes all of them", c.On)
		}
	}
	var names []name
	for _, s := range c.sources() {
		names = append(names, s.names()...)
	}
	for _, r := range c.Reply {
		names = append(names, r.names()...)
	}
	captured := c.On.captures()
	asked := []string{}
	for _, m := range c.When {
		if m != nil && m.name != "" {
			asked = append(asked, m.name)
		}
	}
	for _, n := range names {
		var err error
		switch n.root {
		case "path":
			err = among("capture of the path", n, captured)
		case "when":
			err = among("capture of a condition", n, asked)
		default:
			err = d.checkName(n)
		}
		if err != nil {
			return f.Errorf(c.node, "%s: %s", c, err)
		}
	}
	return nil
}

// checkName refuses names of what the dialect does not have.
func (d *Dialect) checkName(n name) error {
	switch n.root {
	case "setting":
		return among("setting", n, sortedKeys(d.Settings))
	case "word":
		return among("table of words", n, sortedKeys(d.Words))
	case "kept":
		var kept []string
		for _, c := range d.Calls {
			kept = append(kept, sortedKeys(c.Keep)...)
		}
		return among("name that a call keeps", n, kept)
	}
	return nil
}

func among(what string, n name, valid []string) error {
	if slices.Contains(valid, n.rest[0]) {
		return nil
	}
	return fmt.Errorf("%s", decode.UnknownName(what, n.rest[0], valid))
}
