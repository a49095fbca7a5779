package dialects

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
)

// Callback is one way to notify a service.
type Callback struct {
	Of    []string         `yaml:"of"`    // statuses that it tells; default: success and failed
	After *decode.Duration `yaml:"after"` // from the answer; default: the bank's delay
	// To is where to: a URL, a template of one, or the bare name of a setting that holds one. Post or Put is the path behind it.
	To   string `yaml:"to"`
	Post string `yaml:"post"`
	Put  string `yaml:"put"`
	ID   string `yaml:"id"` // what the ids of its events begin with

	Headers  map[string]text `yaml:"headers"`
	JSON     *Value          `yaml:"json"`
	Form     *Value          `yaml:"form"`
	Text     *text           `yaml:"text"`
	Declined *Value          `yaml:"declined"` // what differs where the news is bad
	Sign     []Sign          `yaml:"sign"`

	Delivered []int `yaml:"delivered"` // statuses that acknowledge; default: 2xx
	Refused   []int `yaml:"refused"`   // statuses with which a service lawfully turns it down; it is not tried again

	to   Source
	path Template
}

// Sign is one signature: a fixed header, an HMAC over a template in a header, or a hash or HMAC put into the body.
type Sign struct {
	Header string `yaml:"header"`
	Value  *text  `yaml:"value"`
	HMAC   string `yaml:"hmac"`
	Hash   string `yaml:"hash"`
	Key    *text  `yaml:"key"` // of the HMAC; default: the bank's secret
	Over   *text  `yaml:"over"`
	Into   string `yaml:"into"` // path in the JSON body
}

var hashes = map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New}

// DecodeNode reads a signature.
func (s *Sign) DecodeNode(f *decode.File, n *yaml.Node) error {
	type plain Sign
	if err := f.Decode(n, (*plain)(s)); err != nil {
		return err
	}
	for _, kind := range []string{s.HMAC, s.Hash} {
		if kind != "" && hashes[kind] == nil {
			return f.Unknown(n, "hash", kind, sortedKeys(hashes))
		}
	}
	computed := s.HMAC != "" || s.Hash != ""
	s.Into = strings.TrimPrefix(s.Into, "json.")
	switch {
	case s.HMAC != "" && s.Hash != "":
		return f.Errorf(n, "hmac and hash exclude each other: give one")
	case computed && s.Over == nil:
		return f.Errorf(n, "over is missing: say what is signed, such as ${raw}")
	case s.Header == "" && s.Into == "" || s.Header != "" && s.Into != "":
		return f.Errorf(n, "say where the signature goes: header, or into a field of the body")
	case !computed && s.Value == nil:
		return f.Errorf(n, "value is missing: give one, or hmac or hash with over")
	case s.Key != nil && s.HMAC == "":
		return f.Errorf(n, "key is of hmac only")
	case s.Into != "" && s.Over != nil && slices.ContainsFunc(s.Over.names(), func(n name) bool { return n.root == "raw" }):
		return f.Errorf(n, "a signature within the body cannot be over ${raw}")
	}
	return nil
}

// DecodeNode reads a callback.
func (c *Callback) DecodeNode(f *decode.File, n *yaml.Node) error {
	type plain Callback
	if err := f.Decode(n, (*plain)(c)); err != nil {
		return err
	}
	for _, status := range c.Of {
		if !slices.Contains(statuses, status) {
			return f.Unknown(at(n, "of"), "status", status, statuses)
		}
	}
	bodies := 0
	for _, given := range []bool{c.JSON != nil, c.Form != nil, c.Text != nil} {
		if given {
			bodies++
		}
	}
	switch {
	case bodies != 1:
		return f.Errorf(n, "give the body of the callback: one of json, form and text")
	case c.Post != "" && c.Put != "":
		return f.Errorf(n, "post and put exclude each other: give one")
	case c.Declined != nil && c.Text != nil:
		return f.Errorf(at(n, "declined"), "declined changes fields of json or form")
	case c.To == "":
		return f.Errorf(n, "to is missing: give a URL, or the name of the setting that holds one")
	}
	return c.aim(f, n)
}

// aim understands where the callback goes.
func (c *Callback) aim(f *decode.File, n *yaml.Node) error {
	to := c.To
	if !strings.Contains(to, "${") && !strings.Contains(to, "/") {
		to = "${setting." + to + "}"
	}
	var err error
	if c.to.Template, err = parseTemplate(to, ofRequest); err != nil {
		return f.Errorf(at(n, "to"), "%s", err)
	}
	if c.path, err = parseTemplate(c.Post+c.Put, ofRequest); err != nil {
		return f.Errorf(n, "%s", err)
	}
	return nil
}

func (d *Dialect) checkNotice(f *decode.File, n *yaml.Node, c *Callback) error {
	names := slices.Concat(c.to.names(), c.path.names(), c.names())
	for _, name := range names {
		if err := d.checkName(name); err != nil {
			return f.Errorf(n, "%s", err)
		}
	}
	return nil
}

// names are those of the body, the headers and the signatures.
func (c *Callback) names() (out []name) {
	out = slices.Concat(c.JSON.names(), c.Form.names(), c.Declined.names())
	texts := []*text{c.Text}
	for _, h := range c.Headers {
		texts = append(texts, &h)
	}
	for _, s := range c.Sign {
		texts = append(texts, s.Value, s.Key, s.Over)
	}
	for _, t := range texts {
		if t != nil {
			out = append(out, t.names()...)
		}
	}
	return out
}

// notify is where a call wants to be notified.
func (c *Callback) notify(name string, v view, s *Speaker) fakebank.Notify {
	n := fakebank.Notify{URL: c.to.fill(v), Name: name, Prefix: c.ID, Of: c.Of}
	if n.URL != "" {
		n.URL = strings.TrimSuffix(n.URL, "/") + c.path.fill(v)
	}
	if c.Post+c.Put == "" {
		n.URL = c.to.fill(v)
	}
	if c.After != nil {
		n.Delay = s.scaled(*c.After)
	}
	return n
}

// message words one try.
func (c *Callback) message(n fakebank.Notification, v view) (fakebank.Message, error) {
	m := fakebank.Message{Method: http.MethodPost, URL: n.URL, Header: http.Header{}}
	if c.Put != "" {
		m.Method = http.MethodPut
	}
	body := c.JSON
	if body == nil {
		body = c.Form
	}
	if n.Outcome.Status == fakebank.Failed {
		body = body.with(c.Declined)
	}
	var tree any = map[string]any{}
	if body != nil {
		tree, _ = body.render(v)
	}
	if err := c.into(n, v, tree); err != nil {
		return m, err
	}
	switch {
	case c.Text != nil:
		m.Body = []byte(c.Text.fill(v))
		m.Header.Set("Content-Type", "text/plain; charset=utf-8")
	case c.Form != nil:
		values := url.Values{}
		form("", tree, values.Add)
		m.Body = []byte(values.Encode())
		m.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	default:
		var err error
		if m.Body, err = json.Marshal(tree); err != nil {
			return m, fmt.Errorf("body of the callback: %w", err)
		}
	}
	v.raw = string(m.Body)
	fillHeaders(m.Header, c.Headers, v)
	for _, s := range c.Sign {
		if s.Header != "" && !n.Unsigned() {
			m.Header.Set(s.Header, s.value(c.forges(s, n), v))
		}
	}
	return m, nil
}

// into puts the signatures that go into the body there.
func (c *Callback) into(n fakebank.Notification, v view, tree any) error {
	for _, s := range c.Sign {
		if s.Into == "" || n.Unsigned() {
			continue
		}
		object, ok := tree.(map[string]any)
		if !ok {
			return errors.New("a signature goes into an object, and the body is none")
		}
		path := strings.Split(s.Into, ".")
		for _, name := range path[:len(path)-1] {
			inner, ok := object[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				object[name] = inner
			}
			object = inner
		}
		object[path[len(path)-1]] = s.value(c.forges(s, n), v)
	}
	return nil
}

// forges says whether a signature has to be wrong. What is only sent along with a computed one stays as it is.
func (c *Callback) forges(s Sign, n fakebank.Notification) bool {
	computed := func(s Sign) bool { return s.HMAC != "" || s.Hash != "" }
	return n.Forged() && (computed(s) || !slices.ContainsFunc(c.Sign, computed))
}

// forgery is put behind a key, or a value, that is not the bank's.
const forgery = " forged"

// value is the signature as it goes out.
func (s Sign) value(forged bool, v view) string {
	bad := ""
	if forged {
		bad = forgery
	}
	if s.HMAC == "" && s.Hash == "" {
		return s.Value.fill(v) + bad
	}
	var sum []byte
	if s.HMAC != "" {
		key := v.secret
		if s.Key != nil {
			key = s.Key.fill(v)
		}
		mac := hmac.New(hashes[s.HMAC], []byte(key+bad))
		mac.Write([]byte(s.Over.fill(v)))
		sum = mac.Sum(nil)
	} else {
		h := hashes[s.Hash]()
		h.Write([]byte(s.Over.fill(v) + bad))
		sum = h.Sum(nil)
	}
	v.hex, v.base64_ = hex.EncodeToString(sum), base64.StdEncoding.EncodeToString(sum)
	if s.Value == nil {
		return v.hex
	}
	return s.Value.fill(v)
}

// took says what the status of an answer means.
func (c *Callback) took(status int) fakebank.Acknowledgement {
	switch {
	case slices.Contains(c.Delivered, status), len(c.Delivered) == 0 && status >= 200 && status < 300:
		return fakebank.Taken
	case slices.Contains(c.Refused, status):
		return fakebank.Turned
	}
	return fakebank.NotTaken
}

// remembered are the values of a call that the callback will name.
func (c *Callback) remembered(v view) map[string]any {
	out := map[string]any{}
	for _, n := range c.names() {
		switch n.root {
		case "body", "form", "header", "path", "query", "when":
			if found := v.get(n); found != nil {
				out[n.String()] = found
			}
		}
	}
	return out
}

// memo is what the bank keeps for a dialect with a payment or a refund.
type memo struct {
	kept       map[string]any
	remembered map[string]any
}

// over is a memo with what a later call keeps put over it.
func (m *memo) over(kept map[string]any, remembered map[string]any) *memo {
	out := &memo{kept: map[string]any{}, remembered: remembered}
	if m != nil {
		maps.Copy(out.kept, m.kept)
		if remembered == nil {
			out.remembered = m.remembered
		}
	}
	maps.Copy(out.kept, kept)
	return out
}
