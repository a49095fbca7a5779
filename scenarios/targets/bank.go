package targets

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank/dialects"
	"onedebit/scenarios/decode"
)

// Bank is one bank or payment provider of the service: a dialect of the fake bank, and where the service looks for it.
type Bank struct {
	bankPlace `yaml:",inline"`
	Dialect   dialects.Dialect `yaml:"-"`
	// Text is the dialect as a file of its own, for a bank in another process.
	Text []byte `yaml:"-"`

	served []string // the processes that its callbacks go to by name
}

type bankPlace struct {
	Listen int      `yaml:"listen"` // the port that the service insists on
	Names  []string `yaml:"names"`  // host names that are fixed in its code and lead here (Linux)
	TLS    bool     `yaml:"tls"`    // it speaks TLS there
	Modes  []string `yaml:"modes"`  // of what a repeated number gets that scenarios are run in: dedupe, refuse, naive; of dialect native all where not given
}

var bareName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// DecodeNode reads a bank: keys of its own, and all else is a dialect. A callback that goes to a process by its name goes
// to a setting of that name, which the stack fills in.
func (b *Bank) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return f.Errorf(n, "expected a bank, such as {dialect: stripe}, or one with calls")
	}
	own := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	spoken := *own
	mine, theirs := decode.Fields(reflect.TypeFor[bankPlace]()), decode.Fields(reflect.TypeFor[dialects.Dialect]())
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case slices.Contains(mine, key.Value):
			own.Content = append(own.Content, key, n.Content[i+1])
		case slices.Contains(theirs, key.Value):
			spoken.Content = append(spoken.Content, key, n.Content[i+1])
		default:
			return f.Unknown(key, "key", key.Value, slices.Concat(mine, theirs))
		}
	}
	if err := f.Decode(own, &b.bankPlace); err != nil {
		return err
	}
	for _, mode := range b.Modes {
		if !slices.Contains(BankModes, mode) {
			return f.Unknown(n, "mode", mode, BankModes)
		}
	}
	b.served = withSettings(&spoken)
	if err := f.Decode(&spoken, &b.Dialect); err != nil { // before aliases are written out: it knows an endless one
		return err
	}
	text, err := yaml.Marshal(resolved(&spoken))
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	b.Text = text
	return nil
}

// BankModes are what a bank can do with a number that comes again; the first is what it does where nobody says anything else.
var BankModes = []string{"dedupe", "refuse", "naive"}

// withSettings gives a dialect the settings that its callbacks name as where they go, and returns those that it had not.
func withSettings(n *yaml.Node) (added []string) {
	var settings *yaml.Node
	var wanted []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch value := seenThrough(n.Content[i+1]); n.Content[i].Value {
		case "settings":
			settings = value
		case "callbacks":
			for j := 1; j < len(value.Content); j += 2 {
				if to := valueAt(seenThrough(value.Content[j]), "to"); to != nil && bareName.MatchString(to.Value) {
					wanted = append(wanted, to.Value)
				}
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if settings == nil {
		settings = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "settings", Line: n.Line, Column: n.Column}, settings)
	}
	for _, name := range wanted {
		if valueAt(settings, name) == nil {
			added = append(added, name)
			settings.Content = append(settings.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name},
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: ""})
		}
	}
	return added
}

func seenThrough(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func valueAt(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// resolved is a copy of a tree with aliases written out, so that it can stand alone.
func resolved(n *yaml.Node) *yaml.Node {
	out := *seenThrough(n)
	out.Anchor, out.Content = "", nil
	for _, item := range seenThrough(n).Content {
		out.Content = append(out.Content, resolved(item))
	}
	return &out
}

// Takes says whether the bank is run in a mode. One with calls of its own repeats as it says there, and in no other way but
// those that its file lists: a provider is not to be blamed on the service.
func (b *Bank) Takes(mode string) bool {
	return mode != "" && (b.Dialect.Name == native && len(b.Modes) == 0 || slices.Contains(b.Modes, mode))
}

// TakesMode says whether some bank of the target is run in a mode.
func (t *Target) TakesMode(mode string) bool {
	for _, b := range t.Banks {
		if b.Takes(mode) {
			return true
		}
	}
	return false
}

// NativeOnly says whether every bank speaks the fake bank's own API, whose usual mode is the first of BankModes.
func (t *Target) NativeOnly() bool {
	for _, b := range t.Banks {
		if b.Dialect.Name != native {
			return false
		}
	}
	return true
}

// native is the fake bank's own API, in which every mode is the provider's.
const native = "native"

// inCurrency is what calls are in that name no currency, where the dialect itself does not say.
func (b *Bank) inCurrency(currency string) {
	if b.Dialect.Currency == "" {
		b.Dialect.Currency = currency
		b.Text = append(b.Text, "currency: "+currency+"\n"...)
	}
}

// BankNames are the banks, in order.
func (t *Target) BankNames() []string { return slices.Sorted(maps.Keys(t.Banks)) }

// names names what the service sends to the bank, by what it does to money.
func (b *Bank) names(out Names) {
	for _, m := range b.Dialect.Messages() {
		out.add(m.Name, m.Pattern)
	}
}

// callbackNames names what the bank sends to the service.
func (b *Bank) callbackNames(out Names) {
	for _, pattern := range b.Dialect.CallbackPatterns() {
		out.add("callback", pattern)
	}
}

// checkBanks checks what no single bank can know.
func (t *Target) checkBanks() error {
	for _, name := range t.BankNames() {
		b := t.Banks[name]
		if b == nil {
			return fmt.Errorf("banks.%s: say how it is spoken to, for example {dialect: native}", name)
		}
		for _, to := range b.served {
			if _, err := t.Process(to); err != nil {
				return fmt.Errorf("banks.%s.callbacks: to: %w", name, err)
			}
		}
	}
	if len(t.Banks) == 0 && t.Links["bank"] != nil {
		return errors.New("links.bank: there is no bank; say under banks: how it is spoken to")
	}
	return nil
}
