package dialects

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
)

// Codes of what a dialect does not do, besides those of the bank.
const (
	inFlight = "IN_FLIGHT"    // the first request under the key is not answered yet
	noPath   = "NO_SUCH_PATH" // the dialect has no such call
)

// Reply is how one outcome is told. Status and body are separate, since some providers answer 200 with the failure inside.
type Reply struct {
	Status  int             `yaml:"status"` // default: by the outcome
	Headers map[string]text `yaml:"headers"`
	JSON    *Value          `yaml:"json"`
	But     *Value          `yaml:"but"` // what differs from json, where that is another's
	Text    *text           `yaml:"text"`
}

// Validate holds what can be said about one reply alone.
func (r *Reply) Validate() error {
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return fmt.Errorf("status %d: use 200 to 599", r.Status)
	}
	if r.JSON != nil && r.Text != nil {
		return errors.New("json and text exclude each other: give one")
	}
	if r.But != nil && r.JSON == nil {
		return errors.New("but changes fields of json: give json too")
	}
	for _, n := range r.names() {
		if slices.Contains(ofEvent, n.root) {
			return fmt.Errorf("${%s} is known in callbacks only", n)
		}
	}
	return nil
}

func (r *Reply) names() (out []name) {
	out = append(r.JSON.names(), r.But.names()...)
	for _, h := range r.Headers {
		out = append(out, h.names()...)
	}
	if r.Text != nil {
		out = append(out, r.Text.names()...)
	}
	return out
}

// Replies are replies by outcome. A single one, not named, is that of ok.
type Replies map[string]*Reply

// outcomes are the names of what can be answered, with the HTTP status that each has where the reply says none. The first
// four stand for all; the others are told as declined or error where they have no reply of their own.
var outcomes = map[string]int{
	"ok": http.StatusOK, "pending": http.StatusOK, "declined": http.StatusPaymentRequired, "error": http.StatusConflict,
	"insufficient-funds": http.StatusPaymentRequired, "limit-exceeded": http.StatusPaymentRequired, "exceeds-debit": http.StatusPaymentRequired,
	"bad-request": http.StatusBadRequest, "not-found": http.StatusNotFound, "no-such-path": http.StatusNotFound,
	"duplicate": http.StatusConflict, "mismatch": http.StatusUnprocessableEntity, "in-flight": http.StatusConflict,
	"closed": http.StatusConflict, "not-closed": http.StatusConflict, "not-debited": http.StatusConflict, "not-held": http.StatusConflict,
	"server-error": http.StatusInternalServerError, "full": http.StatusServiceUnavailable,
}

// DecodeNode reads replies.
func (r *Replies) DecodeNode(f *decode.File, n *yaml.Node) error {
	*r = Replies{}
	if n.Kind != yaml.MappingNode {
		return f.Errorf(n, "expected a reply, or replies by outcome")
	}
	single := len(n.Content) == 0
	for i := 0; i < len(n.Content); i += 2 {
		single = single || slices.Contains([]string{"status", "headers", "json", "but", "text"}, n.Content[i].Value)
	}
	if single {
		var one Reply
		(*r)["ok"] = &one
		return f.Decode(n, &one)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, known := outcomes[key.Value]; !known {
			return f.Unknown(key, "outcome", key.Value, outcomeNames())
		}
		var one Reply
		if err := f.Decode(n.Content[i+1], &one); err != nil {
			return err
		}
		(*r)[key.Value] = &one
	}
	return nil
}

func outcomeNames() (out []string) {
	for name := range outcomes {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// as is the name of a code or reason among the outcomes.
func as(code string) string { return strings.ToLower(strings.ReplaceAll(code, "_", "-")) }

// ways are the names under which the reply to an outcome is looked for, nearest first. A look-up and a payment that was ended
// tell how things stand, which is no refusal.
func ways(o fakebank.Outcome, told bool) []string {
	switch {
	case o.Code != "":
		return []string{as(o.Code), "error"}
	case o.Status == fakebank.Processing:
		return []string{"pending", "ok"}
	case o.Status == fakebank.Failed && told:
		return []string{"declined", "ok"}
	case o.Status == fakebank.Failed:
		return []string{as(o.Reason), "declined"}
	}
	return []string{"ok"}
}

// reply finds the reply to an outcome, and its HTTP status.
func (d *Dialect) reply(c *Call, o fakebank.Outcome) (*Reply, int) {
	told := c != nil && c.op() == fakebank.OpQuery
	names := ways(o, told)
	status := 0
	for _, name := range names {
		if status == 0 {
			status = outcomes[name]
		}
		for _, from := range []Replies{c.replies(), d.Replies} {
			r := from[name]
			switch {
			case r == nil:
				continue
			case r.Status != 0:
				status = r.Status
			case told && name == "declined":
				status = http.StatusOK
			}
			return r, status
		}
	}
	return plain(o), status
}

func (c *Call) replies() Replies {
	if c == nil {
		return nil
	}
	return c.Reply
}

// plain is the reply to what a dialect has none for.
func plain(o fakebank.Outcome) *Reply {
	if o.Code == "" && o.Status != fakebank.Failed {
		return &Reply{JSON: &Value{object: map[string]*Value{}}}
	}
	said := func(name string) *Value { return &Value{text: &Template{pieces: []piece{{name: parsed(name)}}}} }
	if o.Code == "" {
		return &Reply{JSON: &Value{object: map[string]*Value{"error": said("reason")}}}
	}
	return &Reply{JSON: &Value{object: map[string]*Value{"error": said("code"), "message": said("message")}}}
}

func parsed(text string) name { return name{root: text} }

// answer puts a reply into bytes.
func (r *Reply) answer(status int, v view) fakebank.Answer {
	a := fakebank.Answer{HTTP: status, Header: http.Header{}, Body: []byte{}}
	switch {
	case r.Text != nil:
		a.Body = []byte(r.Text.fill(v))
		a.Header.Set("Content-Type", "text/plain; charset=utf-8")
	case r.JSON != nil:
		a.Body = marshal(r.JSON.with(r.But), v)
	}
	fillHeaders(a.Header, r.Headers, v)
	return a
}

func fillHeaders(into http.Header, from map[string]text, v view) {
	for name, value := range from {
		if said := value.fill(v); said != "" {
			into.Set(name, said)
		}
	}
}

// marshal writes a value; at the top an object stays an object even where all of it is left out.
func marshal(value *Value, v view) []byte {
	tree, _ := value.render(v)
	out, err := json.Marshal(tree)
	if err != nil { // trees hold nothing but JSON's own kinds
		panic(fmt.Sprintf("marshalling a reply: %v", err))
	}
	return out
}
