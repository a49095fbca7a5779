package targets

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"onedebit/scenarios/decode"
)

// The links that every target can have by name. Others are of what the service reads besides, such as static pages.
var linkNames = []string{"client", "bank", "callback", "db", "cache", "queue"}

// Link is what is known of one link of the service.
type Link struct {
	Engine   string   `yaml:"engine"`   // of cache: redis; of queue: rabbitmq or kafka; without it the service takes whichever it is given
	Port     int      `yaml:"port"`     // that the service insists on
	Serve    string   `yaml:"serve"`    // a folder of static pages that the service reads
	Names    []string `yaml:"names"`    // host names that are fixed in its code and lead here (Linux)
	TLS      bool     `yaml:"tls"`      // it speaks TLS there
	Replay   *Replay  `yaml:"replay"`   // of queue: how a message about a payment is sent once more
	Messages Names    `yaml:"messages"` // names by which scenarios call messages of this link: a pattern, or several, such as "GET /v1/debits/*"
}

// Replay is how a message about a payment is put into the queue once more.
type Replay struct {
	Exchange string `yaml:"exchange"`
	Key      string `yaml:"key"`  // under which it is published
	Body     string `yaml:"body"` // SQL with the parameters of rows that gives it
}

// Names gives messages of a link the names by which scenarios call them.
type Names map[string][]string

// Validate checks the patterns: a bad one would never match, without a word.
func (n *Names) Validate() error {
	for _, name := range slices.Sorted(maps.Keys(*n)) {
		for _, pattern := range (*n)[name] {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("%s: %q is not a pattern: %w", name, pattern, err)
			}
		}
	}
	return nil
}

// engineOf are the engines that a link can have.
var engineOf = map[string][]string{"cache": {"redis"}, "queue": {"rabbitmq", "kafka"}}

// checkLinks checks what depends on the name of a link.
func (t *Target) checkLinks() error {
	for _, name := range slices.Sorted(maps.Keys(t.Links)) {
		link := t.Links[name]
		if link == nil {
			t.Links[name] = &Link{}
			continue
		}
		engines := engineOf[name]
		switch {
		case link.Serve == "" && !slices.Contains(linkNames, name):
			return fmt.Errorf("links: %s; one of your own needs serve: with a folder", decode.UnknownName("link", name, linkNames))
		case link.Engine != "" && engines == nil:
			return fmt.Errorf("links.%s.engine: only cache and queue have one", name)
		case link.Engine != "" && !slices.Contains(engines, link.Engine):
			return fmt.Errorf("links.%s: %s", name, decode.UnknownName("engine", link.Engine, engines))
		case link.Replay != nil && name == "queue":
			return fmt.Errorf("links.%s.replay: messages are not sent once more by a recipe yet; leave it out: the fault queue-replay repeats those that the service published", name)
		case link.Replay != nil:
			return fmt.Errorf("links.%s.replay: only a queue has messages that are sent once more", name)
		case link.Port < 0 || link.Port > 65535:
			return fmt.Errorf("links.%s.port: from 1 to 65535", name)
		}
	}
	return nil
}

// LinkNames are the links of which this target says something, in order.
func (t *Target) LinkNames() []string { return slices.Sorted(maps.Keys(t.Links)) }

// Messages are the names of the messages of a link: those of the file, and those that follow from requests and banks.
func (t *Target) Messages(link string) Names {
	out := Names{}
	switch link {
	case "client":
		t.requestNames(out)
	case "bank":
		for _, bank := range t.BankNames() {
			t.Banks[bank].names(out)
		}
	case "callback":
		for _, bank := range t.BankNames() {
			t.Banks[bank].callbackNames(out)
		}
	}
	if l := t.Links[link]; l != nil {
		maps.Copy(out, l.Messages)
	}
	return out
}

// Patterns are the label patterns of a message by its name on a link. A name that the target does not give is taken as a
// pattern itself, so that scenarios can name what no target has a word for.
func (t *Target) Patterns(link, name string) []string {
	if p, ok := t.Messages(link)[name]; ok {
		return p
	}
	return []string{name}
}

// add gives a name one more pattern.
func (n Names) add(name, pattern string) {
	if !slices.Contains(n[name], pattern) {
		n[name] = append(n[name], pattern)
	}
}

// requestNames names what clients send.
func (t *Target) requestNames(out Names) {
	named := map[string]*Request{
		"token": t.Payment.Token, "pay": t.Payment.Submit(), "query": t.Payment.Query, "close": t.Payment.Close, "appeal": t.Payment.Appeal,
		"refund": t.Refund.Submit, "refund-query": t.Refund.Query,
	}
	for name, door := range t.Payment.Doors {
		named[name] = door
	}
	// A message has one name: that of the usual submit, where another door leads to the same place.
	taken := map[string]bool{}
	names := slices.Sorted(maps.Keys(named))
	slices.SortStableFunc(names, func(a, b string) int { return first(a == "pay", b == "pay") })
	for _, name := range names {
		r := named[name]
		if r == nil {
			continue
		}
		method, path := r.line()
		if pattern := method + " " + anyOf(path); !taken[pattern] {
			taken[pattern] = true
			out.add(name, pattern)
		}
	}
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// anyOf is a path with a * in place of each placeholder, without a query.
func anyOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return placeholder.ReplaceAllString(path, "*")
}
