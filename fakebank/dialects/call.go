package dialects

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
)

// What a call does to money.
var moneys = map[string]string{
	"none": "", "debit": fakebank.OpDebit, "hold": fakebank.OpHold, "capture": fakebank.OpCapture, "release": fakebank.OpClose,
	"refund": fakebank.OpRefund,
}

// Call is one call of a dialect.
type Call struct {
	Name  string            `yaml:"name"` // for people
	On    Pattern           `yaml:"on"`
	When  map[string]*Match `yaml:"when"` // further conditions, by name; null: there is nothing
	Body  string            `yaml:"body"`
	Money string            `yaml:"money"`
	Opens bool              `yaml:"opens"` // makes a payment known under a reference that the request gives

	Reference Source            `yaml:"reference"` // names the payment at the bank; the ledger's trade number
	Refund    Source            `yaml:"refund"`    // names the refund
	Account   Source            `yaml:"account"`   // whose money it is
	Merchant  Source            `yaml:"merchant"`
	Amount    *Amount           `yaml:"amount"`
	Currency  currency          `yaml:"currency"`
	Belongs   belongs           `yaml:"belongs"` // joins the call to a payment where no account does
	Keep      map[string]Source `yaml:"keep"`    // what is remembered of the call, with the payment or refund

	Known    bool    `yaml:"known"` // the payment has to be opened, or taken, before
	Once     bool    `yaml:"once"`  // a payment is taken once; after a decline it may be tried again
	Bound    bool    `yaml:"bound"` // the refunds of a debit may not exceed it
	Dedupe   *Dedupe `yaml:"dedupe"`
	Reply    Replies `yaml:"reply"`
	Callback string  `yaml:"callback"`

	node *yaml.Node
}

// DecodeNode reads a call.
func (c *Call) DecodeNode(f *decode.File, n *yaml.Node) error {
	type plain Call
	if err := f.Decode(n, (*plain)(c)); err != nil {
		return err
	}
	c.node = n
	if c.On.Method == "" {
		return f.Errorf(n, "on is missing: say which requests, such as POST /payments")
	}
	if c.Money == "" {
		c.Money = "none"
	}
	if _, known := moneys[c.Money]; !known {
		return f.Unknown(at(n, "money"), "money", c.Money, keysOf(moneys))
	}
	if c.Body == "" {
		c.Body = bodyAny
		if c.On.Method == http.MethodGet {
			c.Body = bodyNone
		}
	}
	if !slices.Contains(bodies, c.Body) {
		return f.Unknown(at(n, "body"), "body", c.Body, bodies)
	}
	c.complete()
	if err := c.check(); err != nil {
		return f.Errorf(n, "%s: %s", c, err)
	}
	return nil
}

// complete fills in what follows from the rest: a payment that nothing names is named by what it is deduplicated by, or anew.
func (c *Call) complete() {
	if c.Amount == nil {
		c.Amount = c.Belongs.Amount
	}
	takes := c.Money == "debit" || c.Money == "hold"
	if !c.Reference.given() && takes {
		c.Reference = newID
		if d := c.Dedupe; d != nil && d.By.given() && !d.ofHeader() {
			c.Reference = d.By
		}
	}
	if c.Money == "refund" && !c.Refund.given() {
		c.Refund = newID
	}
}

var newID = Source{Template: Template{pieces: []piece{{name: name{root: "new", rest: []string{"id"}}}}, text: "${new.id}"}}

func (c *Call) check() error {
	switch {
	case c.Money != "none" && !c.Reference.given():
		return fmt.Errorf("money %s needs a reference: say what names the payment, such as path.id", c.Money)
	case c.Opens && (c.Money != "none" || !c.Reference.given()):
		return errors.New("opens is for calls with a reference that move no money")
	case c.Known && (c.Money != "debit" && c.Money != "hold" || c.Reference.fresh()):
		return errors.New("known is for calls that take or hold money of a payment that another call has opened")
	case c.Once && c.Money != "debit" && c.Money != "hold":
		return errors.New("once is for calls that take or hold money")
	case c.Dedupe != nil && c.Dedupe.Reply == current && c.Dedupe.By.text != c.number().text:
		return errors.New("reply current tells how the payment or refund stands, so that dedupe.by has to be what names it")
	}
	for _, name := range sortedKeys(c.When) {
		if _, err := parseName(name, append([]string{"status"}, ofRequest...)); err != nil {
			return fmt.Errorf("when: %w", err)
		}
	}
	return nil
}

// number is what names that which the call makes.
func (c *Call) number() Source {
	if c.Money == "refund" {
		return c.Refund
	}
	return c.Reference
}

// op is what the call is to the bank.
func (c *Call) op() string {
	switch op := moneys[c.Money]; {
	case op != "":
		return op
	case c.Opens, c.Reference.fresh():
		return fakebank.OpOpen
	case c.Reference.given(), c.Refund.given():
		return fakebank.OpQuery
	}
	return fakebank.OpOther
}

func (c *Call) String() string {
	if c.Name != "" {
		return c.Name
	}
	return c.On.String()
}

// sources are all the places of a request that the call reads.
func (c *Call) sources() []Source {
	out := []Source{c.Reference, c.Refund, c.Account, c.Merchant, c.Currency.at, c.Belongs.Key}
	if c.Amount != nil {
		out = append(out, c.Amount.At)
	}
	if c.Dedupe != nil {
		out = append(append(out, c.Dedupe.By), c.Dedupe.Compare...)
	}
	for _, s := range c.Keep {
		out = append(out, s)
	}
	return out
}

// belongs is what joins a call to a payment: what holds a key of the payment, or its amount, where no two payments have the
// same.
type belongs struct {
	Key    Source
	Amount *Amount
}

// DecodeNode reads it: a source, or {key: source}, or {amount: source, as: decimal}.
func (b *belongs) DecodeNode(f *decode.File, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return f.Decode(n, &b.Key)
	}
	var by struct {
		Key    Source `yaml:"key"`
		Amount Source `yaml:"amount"`
		As     string `yaml:"as"`
	}
	if err := f.Decode(n, &by); err != nil {
		return err
	}
	b.Key = by.Key
	if !by.Amount.given() {
		return nil
	}
	if by.As == "" {
		by.As = decimal
	}
	if !slices.Contains(writings, by.As) {
		return f.Unknown(n, "way to write an amount", by.As, writings)
	}
	b.Amount = &Amount{At: by.Amount, As: by.As}
	return nil
}

// currency is a currency, or where one stands.
type currency struct {
	at    Source
	fixed string
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// DecodeNode reads it: a source, or three capital letters.
func (c *currency) DecodeNode(f *decode.File, n *yaml.Node) error {
	if currencyCode.MatchString(n.Value) {
		c.fixed = n.Value
		return nil
	}
	return f.Decode(n, &c.at)
}

// at is the value of a key of a mapping, or the mapping.
func at(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

func keysOf[V any](m map[string]V) []string { return sortedKeys(m) }

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Ways to answer a request whose key came before.
const (
	stored  = "stored"  // the first answer again, byte for byte
	current = "current" // how the payment stands by now
	none    = "none"    // carried out again
)

var repeats = []string{stored, current, none}

// Dedupe is how a provider recognises a request that comes again. Without a key in it a request is carried out.
type Dedupe struct {
	By      Source          `yaml:"by"`
	Reply   string          `yaml:"reply"`   // stored, current or none; default: stored, unless a status is given
	Status  int             `yaml:"status"`  // a repeat is refused with this status, as outcome duplicate
	Compare []Source        `yaml:"compare"` // what has to be the same; default: path, query and body
	Headers map[string]text `yaml:"headers"` // of an answer that is given again
}

// DecodeNode reads it.
func (d *Dedupe) DecodeNode(f *decode.File, n *yaml.Node) error {
	type plain Dedupe
	if err := f.Decode(n, (*plain)(d)); err != nil {
		return err
	}
	if d.Reply == "" && d.Status == 0 {
		d.Reply = stored
	}
	switch {
	case !d.By.given() && d.Reply != none:
		return f.Errorf(n, "by is missing: say which field makes a request known again, such as header.Idempotency-Key")
	case d.Reply != "" && d.Status != 0:
		return f.Errorf(n, "reply and status exclude each other: a repeat is answered again, or refused with a status")
	case d.Reply != "" && !slices.Contains(repeats, d.Reply):
		return f.Unknown(at(n, "reply"), "way to answer a repeat", d.Reply, repeats)
	case d.Status != 0 && (d.Status < 400 || d.Status > 499):
		return f.Errorf(at(n, "status"), "status %d: use 400 to 499", d.Status)
	case d.By.fresh():
		return f.Errorf(at(n, "by"), "a new id never comes again")
	}
	return nil
}

func (d *Dedupe) ofHeader() bool { return strings.HasPrefix(d.By.text, "${header.") }
