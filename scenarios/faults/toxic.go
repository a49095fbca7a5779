package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/stack"
)

// Toxic is one of Toxiproxy's own toxics, under its own name and with its own attributes, for latency, bandwidth and long
// outages. Its toxicity is always 1: it is rolled per connection by a source that no seed reaches.
var Toxic = register(Kind{
	Name:    "toxic",
	Doc:     "one of Toxiproxy's own toxics: latency, bandwidth, slow_close, timeout, reset_peer, slicer, limit_data; times in real-life ms",
	Example: "toxic: {link: bank, type: latency, stream: downstream, attributes: {latency: 20000}}",
	New:     func() Fault { return &toxic{Stream: "downstream"} },
})

type toxic struct {
	Link       string           `yaml:"link"`
	Type       string           `yaml:"type"`
	Stream     string           `yaml:"stream"`
	Attributes map[string]int64 `yaml:"attributes"`
}

// times are the attributes that are durations in milliseconds (for the slicer's delay: microseconds).
var times = []string{"latency", "jitter", "timeout", "delay"}

func (f *toxic) Validate() error {
	if f.Link == "" || f.Type == "" {
		return errors.New("toxic needs a link and a type, for example {link: bank, type: latency, attributes: {latency: 2000}}")
	}
	if f.Stream != "upstream" && f.Stream != "downstream" {
		return fmt.Errorf("stream: %s", decode.UnknownName("stream", f.Stream, []string{"upstream", "downstream"}))
	}
	if types := stack.ToxicTypes(); !slices.Contains(types, f.Type) {
		return errors.New("type: " + decode.UnknownName("toxic", f.Type, types))
	}
	for _, a := range keys(f.Attributes) {
		if valid := stack.ToxicAttributes(f.Type); !slices.Contains(valid, a) {
			return fmt.Errorf("attributes: %s", decode.UnknownName("attribute of "+f.Type, a, valid))
		}
		if f.Attributes[a] < 0 {
			return fmt.Errorf("attributes: %s is negative", a)
		}
	}
	return f.bearable()
}

// bearable refuses numbers that Toxiproxy takes and that then end this process.
func (f *toxic) bearable() error {
	a := f.Attributes
	if f.Type == "slicer" && (a["average_size"] < 1 || a["size_variation"] >= a["average_size"]) {
		return errors.New("attributes: slicer needs an average_size of at least 1 and a size_variation below it")
	}
	return nil
}

func keys(m map[string]int64) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (f *toxic) Links() []string { return []string{f.Link} }

func (f *toxic) Text() string {
	var attrs []string
	for _, k := range keys(f.Attributes) {
		attrs = append(attrs, fmt.Sprintf("%s=%d", k, f.Attributes[k]))
	}
	return fmt.Sprintf("toxic %s (%s) on link %s, %s", f.Type, strings.Join(attrs, " "), f.Link, f.Stream)
}

func (f *toxic) Arm(ctx context.Context, env *Env) (Armed, error) {
	l, err := env.Stack.Link(f.Link)
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	handle, err := l.Toxic(ctx, env.Name, f.Type, f.Stream, f.scaled(env.Stack))
	if err != nil {
		return nil, fmt.Errorf("arming fault %s: %w", env.Name, err)
	}
	return &counted{lasting: lasting{undo: handle.Remove}, fired: handle.Fired}, nil
}

// scaled is the attributes with times of the experiment. A time of 0 has a meaning of its own: a timeout that never comes.
func (f *toxic) scaled(s *stack.Stack) map[string]any {
	out := map[string]any{}
	for k, v := range f.Attributes {
		if v > 0 && slices.Contains(times, k) {
			v = max(1, int64(s.Scale(time.Duration(v)))) // whatever the unit is
		}
		out[k] = v
	}
	return out
}

// counted is a lasting fault that counts messages.
type counted struct {
	lasting
	fired func(context.Context) (int, error)
}

func (c *counted) Felt(ctx context.Context) (fired, holding int, err error) {
	fired, err = c.fired(ctx)
	return fired, 0, err
}

func (c *counted) Await(ctx context.Context, fired, holding int) error {
	return awaitCounts(ctx, c, countsTick, fired, holding)
}
