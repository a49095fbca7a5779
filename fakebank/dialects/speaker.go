package dialects

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"onedebit/fakebank"
	"onedebit/scenarios/decode"
)

// Options are what a dialect is spoken with.
type Options struct {
	Secret   string            // signs callbacks; the bank's own
	Settings map[string]string // over those of the dialect
	// Scale turns a duration of the dialect, which is a real-life one, into wall time; nil leaves it.
	Scale func(time.Duration) time.Duration
	// Clock is the bank's; nil is the system's.
	Clock fakebank.Clock
}

// Speaker speaks a dialect for one bank. It is the Language of its configuration.
type Speaker struct {
	dialect  *Dialect
	options  Options
	settings map[string]string
	keys     keys
}

// Speak makes a dialect the language of a bank. It fails on settings that the dialect does not have.
func (d *Dialect) Speak(o Options) (*Speaker, error) {
	settings := maps.Clone(d.Settings)
	if settings == nil {
		settings = map[string]string{}
	}
	for _, name := range sortedKeys(o.Settings) {
		if _, known := settings[name]; !known {
			return nil, fmt.Errorf("dialect %s: %s", d.Name, decode.UnknownName("setting", name, sortedKeys(d.Settings)))
		}
		settings[name] = o.Settings[name]
	}
	if o.Clock == nil {
		o.Clock = fakebank.SystemClock()
	}
	s := &Speaker{dialect: d, options: o, settings: settings}
	s.keys.forget()
	return s, nil
}

// Handler is the bank's API in the dialect. GET /readyz is answered as by every bank, unless the dialect has it.
func (s *Speaker) Handler(b *fakebank.Bank) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var fitting []candidate
		for _, c := range s.dialect.Calls {
			if path, ok := c.On.match(r.Method, r.URL.EscapedPath()); ok {
				fitting = append(fitting, candidate{c, path})
			}
		}
		switch {
		case len(fitting) > 0:
			b.Serve(w, r, func(r *http.Request, body []byte) fakebank.Request {
				return s.read(b, r, body, fitting)
			})
		case r.Method == http.MethodGet && r.URL.Path == "/readyz":
			b.Ready(w)
		default:
			t := &turn{s: s, v: s.view()}
			fakebank.WriteAnswer(w, t.word(fakebank.Outcome{Code: noPath,
				Message: fmt.Sprintf("%s %s is no call of dialect %s", r.Method, r.URL.Path, s.dialect.Name)}))
		}
	})
}

// Forget forgets all keys.
func (s *Speaker) Forget() { s.keys.forget() }

func (s *Speaker) view() view {
	return view{dialect: s.dialect, settings: s.settings, secret: s.options.Secret, now: s.options.Clock.Now()}
}

// Callback words one try of a notification.
func (s *Speaker) Callback(n fakebank.Notification) (fakebank.Message, error) {
	c := s.callback(n.Name)
	if c == nil {
		return fakebank.Message{}, fmt.Errorf("dialect %s has no callbacks", s.dialect.Name)
	}
	v := s.view()
	v.outcome, v.now = n.Outcome, n.Now
	v.recall(n.Outcome)
	if v.remembered == nil {
		v.remembered = map[string]any{}
	}
	v.event = map[string]any{"id": n.ID, "attempt": int64(n.Attempt), "time": n.Made, "callback": n.Name}
	return c.message(n, v)
}

// Took says what the status of an answer to a notification means.
func (s *Speaker) Took(n fakebank.Notification, status int) fakebank.Acknowledgement {
	if c := s.callback(n.Name); c != nil {
		return c.took(status)
	}
	return fakebank.NotTaken
}

// callback is the one of that name. What no call of the dialect brought about is told by the first.
func (s *Speaker) callback(name string) *Callback {
	if name == "" && len(s.dialect.Notices) > 0 {
		name = sortedKeys(s.dialect.Notices)[0]
	}
	return s.dialect.Notices[name]
}

// recall brings back what is kept with the payment, and over it what is kept with the refund.
func (v *view) recall(o fakebank.Outcome) {
	v.kept = map[string]any{}
	for _, m := range []any{o.Memo, o.Of} {
		if m, ok := m.(*memo); ok && m != nil {
			maps.Copy(v.kept, m.kept)
			v.remembered = m.remembered
		}
	}
}

// scaled is a duration of the dialect in wall time.
func (s *Speaker) scaled(d decode.Duration) *time.Duration {
	wall := time.Duration(d)
	if s.options.Scale != nil {
		wall = s.options.Scale(wall)
	}
	return &wall
}

// maxDetail bounds the words of a request that go into the ledger.
const maxDetail = 1 << 10

// detail is what a request says, in one line: how a payment can be found in it that the call does not name otherwise.
func detail(c *Call, v view) string {
	var b strings.Builder
	b.WriteString(c.String())
	var walk func(path string, tree any)
	walk = func(path string, tree any) {
		if b.Len() > maxDetail {
			return
		}
		switch t := tree.(type) {
		case map[string]any:
			for _, key := range sortedKeys(t) {
				walk(strings.TrimPrefix(path+"."+key, "."), t[key])
			}
		case []any:
			for _, item := range t {
				walk(path, item)
			}
		case string, json.Number, bool:
			fmt.Fprintf(&b, " %s=%s", path, masked(asText(t)))
		}
	}
	if c.Dedupe != nil && c.Dedupe.ofHeader() {
		walk("key", c.Dedupe.By.value(v))
	}
	walk("", v.path)
	walk("", v.body)
	return b.String()[:min(b.Len(), maxDetail)]
}

// masked hides all but the end of what looks like the number of a card.
func masked(text string) string {
	if len(text) < 13 || len(text) > 19 || strings.Trim(text, "0123456789 -") != "" {
		return text
	}
	return strings.Repeat("*", len(text)-4) + text[len(text)-4:]
}
