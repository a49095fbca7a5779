package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios"
)

// mostShrinks bounds how many smaller scenarios are tried for one failure.
const mostShrinks = 40

// Fails says whether a scenario still fails in the way that is looked for, in every one of its trials.
type Fails func(ctx context.Context, s *scenarios.Scenario) (bool, error)

// Shrink drops from a failing scenario what the failure does not need: faults, steps, copies, retries. What it returns
// still fails, by what fails says; it is the scenario itself where nothing can be dropped.
func Shrink(ctx context.Context, s *scenarios.Scenario, fails Fails) (*scenarios.Scenario, error) {
	least := s
	tried := map[string]bool{}
	for {
		smaller, err := smallerOf(least)
		if err != nil {
			return nil, err
		}
		next := least
		for _, c := range smaller {
			if tried[c.Source] || len(tried) >= mostShrinks {
				continue
			}
			tried[c.Source] = true
			bad, err := fails(ctx, c)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return least, err
			}
			if bad {
				next = c
				break
			}
		}
		if next == least {
			return least, nil
		}
		least = next
	}
}

// smallerOf are the scenarios with one thing less, in the order in which they are worth a try. Those that would be no
// scenarios are left out.
func smallerOf(s *scenarios.Scenario) ([]*scenarios.Scenario, error) {
	var out []*scenarios.Scenario
	for n := 0; ; n++ {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(s.Source), &doc); err != nil {
			return nil, fmt.Errorf("shrinking %s: %w", s.Name, err)
		}
		e := edit{wanted: n}
		e.node(&doc, "")
		if !e.done {
			return out, nil
		}
		var b bytes.Buffer
		enc := yaml.NewEncoder(&b)
		enc.SetIndent(2)
		if err := enc.Encode(&doc); err != nil {
			return nil, fmt.Errorf("shrinking %s: %w", s.Name, err)
		}
		if c, err := scenarios.Load(s.Name+".yaml", b.Bytes()); err == nil {
			out = append(out, c)
		}
	}
}

// edit makes one of the changes that make a scenario smaller: the one that is wanted, counted as they are met.
type edit struct {
	wanted, met int
	done        bool
}

// here says whether the change that is met now is the one that is wanted.
func (e *edit) here() bool {
	e.met++
	e.done = e.done || e.met == e.wanted+1
	return e.met == e.wanted+1
}

// lists are the keys whose value is a list of steps.
var lists = []string{"steps", "together"}

// least are the keys of numbers that can be less, and down to where.
var least = map[string]int{"copies": 2, "times": 1, "max": 0}

func (e *edit) node(n *yaml.Node, key string) {
	if e.done {
		return
	}
	if n.Kind == yaml.SequenceNode && slices.Contains(lists, key) {
		for i, step := range slices.Backward(n.Content) {
			if e.here() {
				n.Content = dropped(slices.Delete(n.Content, i, i+1), step)
				return
			}
		}
	}
	if low, ok := least[key]; ok && n.Kind == yaml.ScalarNode {
		if v, err := strconv.Atoi(n.Value); err == nil && v > low && e.here() {
			n.Value = strconv.Itoa(max(low, v/2))
			return
		}
	}
	for i, c := range n.Content {
		name := key
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			name = n.Content[i-1].Value
		}
		e.node(c, name)
	}
}

// dropped drops, with a step that puts a fault in force, those that speak of it.
func dropped(steps []*yaml.Node, step *yaml.Node) []*yaml.Node {
	name := valueAt(step, "fault", "as")
	if name == "" {
		return steps
	}
	return slices.DeleteFunc(steps, func(s *yaml.Node) bool {
		return slices.Contains([]string{valueAt(s, "heal"), valueAt(s, "release"), valueAt(s, "await", "fault")}, name)
	})
}

// valueAt is the text at a path of keys, or "".
func valueAt(n *yaml.Node, path ...string) string {
	for _, key := range path {
		var found *yaml.Node
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				found = n.Content[i+1]
			}
		}
		if found == nil {
			return ""
		}
		n = found
	}
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}
