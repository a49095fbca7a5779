package dialects

import (
	"net/http"
	"slices"
	"strings"
)

// Message is one message of the dialect as it is seen on the way to the bank.
type Message struct {
	Name    string // debit, refund, query …: by what it does to money
	Pattern string // method and path, with a * for what varies
}

// Messages are the messages that the dialect understands, named by what they do. What neither moves money nor asks for a
// payment has no name.
func (d *Dialect) Messages() (out []Message) {
	for _, c := range d.Calls {
		if name := c.message(); name != "" {
			out = append(out, Message{Name: name, Pattern: c.On.stars()})
		}
	}
	return out
}

func (c *Call) message() string {
	switch {
	case c.Money == "release":
		return "close"
	case c.Money != "none":
		return c.Money
	case c.On.Method == http.MethodGet && c.Refund.given():
		return "refund-query"
	case c.On.Method == http.MethodGet && c.Reference.given():
		return "query"
	}
	return ""
}

// stars is the pattern with a * in the place of each capture.
func (p Pattern) stars() string {
	var b strings.Builder
	b.WriteString(p.Method + " ")
	for _, s := range p.segments {
		b.WriteString("/" + s.before)
		if s.name != "" {
			b.WriteString("*" + s.after)
		}
	}
	return b.String()
}

// CallbackPatterns are the method and path of each callback whose path the dialect says, with a * for what varies.
func (d *Dialect) CallbackPatterns() (out []string) {
	for _, name := range sortedKeys(d.Notices) {
		c := d.Notices[name]
		method, path := http.MethodPost, c.Post
		if c.Put != "" {
			method, path = http.MethodPut, c.Put
		}
		if path != "" {
			out = append(out, method+" "+placeholder.ReplaceAllString(path, "*"))
		}
	}
	return out
}

// ByAmount says whether a call is joined to a payment by the amount, since nothing else in it names one.
func (d *Dialect) ByAmount() bool {
	return slices.ContainsFunc(d.Calls, func(c *Call) bool { return c.Belongs.Amount != nil })
}

// TellsStatus says whether the answer to a call that takes money says how the payment stands. Where it does not, a service
// has to take any answer of that status for a success.
func (d *Dialect) TellsStatus() bool {
	return d.everyTaking(func(c *Call) bool { return d.tells(c, "ok") })
}

// TellsPending says whether such an answer can say that nothing is decided yet.
func (d *Dialect) TellsPending() bool {
	return d.everyTaking(func(c *Call) bool {
		return d.tells(c, "ok") || c.Reply["pending"] != nil || d.Replies["pending"] != nil
	})
}

// Answers says whether the bank can be asked about a payment.
func (d *Dialect) Answers() bool {
	return slices.ContainsFunc(d.Messages(), func(m Message) bool { return m.Name == "query" })
}

// everyTaking says whether something holds for every call that takes money.
func (d *Dialect) everyTaking(holds func(*Call) bool) bool {
	return !slices.ContainsFunc(d.Calls, func(c *Call) bool { return (c.Money == "debit" || c.Money == "hold") && !holds(c) })
}

// tells says whether a reply of a call says how the payment stands.
func (d *Dialect) tells(c *Call, outcome string) bool {
	r := c.Reply[outcome]
	if r == nil {
		r = d.Replies[outcome]
	}
	return r != nil && slices.ContainsFunc(r.names(), func(n name) bool { return n.root == "status" || n.root == "word" })
}

// Notifies says whether a call makes the bank notify the service.
func (d *Dialect) Notifies() bool {
	return slices.ContainsFunc(d.Calls, func(c *Call) bool { return c.Callback != "" })
}

// CallbacksTo are the settings by whose bare names callbacks say where they go.
func (d *Dialect) CallbacksTo() (out []string) {
	for _, name := range sortedKeys(d.Notices) {
		if to := d.Notices[name].To; !strings.ContainsAny(to, "$/") && !slices.Contains(out, to) {
			out = append(out, to)
		}
	}
	return out
}
