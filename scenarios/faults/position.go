package faults

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// Position names messages of a link: the tool for placing a fault by what happens, not by when.
type Position struct {
	Link    string       `yaml:"link"`
	Message []string     `yaml:"message"` // names in the target file, or patterns of the label; any message where empty
	Nth     int          `yaml:"nth"`     // the first that is meant, counted from arming; 1 where not given
	Count   decode.Count `yaml:"count"`   // how many from there on; all where not given
}

// Validate checks what no single field can know.
func (p *Position) Validate() error {
	if p.Link == "" {
		return errors.New("link: say on which link, for example bank")
	}
	for _, pattern := range p.Message {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("message: %q is not a pattern: %w", pattern, err)
		}
	}
	if p.Nth < 0 {
		return fmt.Errorf("nth: %d is not a position; the first message is 1", p.Nth)
	}
	return nil
}

// Placed is a fault that is placed by messages of a link, called by names or by patterns of their labels.
type Placed interface {
	Place() (link string, messages []string)
}

// Listening is a fault of the events under a name of the target.
type Listening interface{ Events() string }

// Place is the link, and which messages.
func (p Position) Place() (string, []string) { return p.Link, p.Message }

// Links is the link of the position.
func (p Position) Links() []string { return []string{p.Link} }

func (p Position) match(env *Env, dir string) stack.Match {
	m := stack.Match{Dir: dir, Nth: max(1, p.Nth), Count: int(p.Count)}
	for _, name := range p.Message {
		m.Labels = append(m.Labels, env.Stack.Target.Patterns(p.Link, name)...)
	}
	return m
}

func (p Position) text(part string) string {
	name := strings.Join(p.Message, " or ")
	if name == "" {
		name = "message"
	}
	switch {
	case p.Count == 0 && p.Nth <= 1:
		return fmt.Sprintf("every %s %s on link %s", name, part, p.Link)
	case p.Count == 0:
		return fmt.Sprintf("%s %s number %d and all behind it on link %s", name, part, p.Nth, p.Link)
	case p.Count == 1:
		return fmt.Sprintf("%s %s number %d on link %s", name, part, max(1, p.Nth), p.Link)
	default:
		return fmt.Sprintf("%s %ss number %d to %d on link %s", name, part, max(1, p.Nth), max(1, p.Nth)+int(p.Count)-1, p.Link)
	}
}

// how a connection ends at a lost message.
type how string

// Validate checks the name.
func (h *how) Validate() error {
	switch *h {
	case "", "reset", "silence", "fin":
		return nil
	}
	return fmt.Errorf("how: %s", decode.UnknownName("ending", string(*h), []string{"reset", "silence", "fin"}))
}

func (h how) orReset() string {
	if h == "" {
		return "reset"
	}
	return string(h)
}

func (h how) text() string {
	return map[string]string{
		"reset": "the connection is reset", "silence": "nothing more comes", "fin": "the connection is closed",
	}[h.orReset()]
}
