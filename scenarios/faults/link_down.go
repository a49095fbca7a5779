package faults

import (
	"context"
	"errors"
	"fmt"
)

// LinkDown cuts a link: connections are closed, and new ones are refused.
var LinkDown = register(Kind{
	Name:    "link-down",
	Doc:     "a link is cut: its connections are closed and new ones refused, until it is healed",
	Example: "link-down: {link: cache}",
	New:     func() Fault { return &linkDown{} },
})

type linkDown struct {
	Link string `yaml:"link"`
}

func (f *linkDown) Validate() error {
	if f.Link == "" {
		return errors.New("link: say which link is cut")
	}
	return nil
}

func (f *linkDown) Links() []string { return []string{f.Link} }
func (f *linkDown) Text() string    { return fmt.Sprintf("link %s is cut", f.Link) }

func (f *linkDown) Arm(ctx context.Context, env *Env) (Armed, error) {
	l, err := env.Stack.Link(f.Link)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	if err := l.Down(ctx); err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	return &lasting{instant: instant{1}, undo: l.Up}, nil
}
