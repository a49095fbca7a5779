package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"onedebit/scenarios/decode"
	"onedebit/scenarios/faults"
	"onedebit/scenarios/stack"
	"onedebit/scenarios/targets"
	"onedebit/scenarios/workload"
)

// Fits checks a scenario against the target that it is to be carried out on: what scenarios call by a name the target must
// know by that name. Each error is at the step that is wrong.
func (s *Scenario) Fits(t *targets.Target) error {
	if s.borrowed(t) {
		return nil // it was not written for this target: what that lacks makes it skipped
	}
	if err := s.knownChannels(t.Payment.Channels); err != nil {
		return err
	}
	var first error
	workload.Walk(s.Steps, func(step workload.Step) {
		if first != nil {
			return
		}
		var err error
		if w, ok := step.Action.(workload.Worded); ok {
			err = knownName("channel", w.OtherChannel(), t.Payment.Channels)
		}
		err = errors.Join(err, knownProcess(step.Action, t))
		if i, ok := step.Action.(workload.Injector); ok {
			err = errors.Join(err, knownProcess(i.Injects(), t), fits(i.Injects(), t))
		}
		if err != nil {
			first = misplaced(s.file, step, err)
		}
	})
	return first
}

// knownProcess checks the process that a step or a fault is about.
func knownProcess(about any, t *targets.Target) error {
	v, ok := about.(interface{ Victim() string })
	if !ok || v.Victim() == "" {
		return nil
	}
	_, err := t.Process(v.Victim())
	return err
}

// knownChannels checks what payments are said to be made through.
func (s *Scenario) knownChannels(valid []string) error {
	if err := knownName("channel", s.Payment.Channel, valid); err != nil {
		return s.At(err, "payment", "channel")
	}
	for _, label := range slices.Sorted(maps.Keys(s.Payments)) {
		if err := knownName("channel", s.Payments[label].Channel, valid); err != nil {
			return s.At(err, "payments", label, "channel")
		}
	}
	return nil
}

// knownName checks a name that may be left out, against a list that may not be known.
func knownName(what, name string, valid []string) error {
	if name == "" || len(valid) == 0 || slices.Contains(valid, name) {
		return nil
	}
	return errors.New(decode.UnknownName(what, name, valid))
}

// fits checks a fault against the target.
func fits(f faults.Fault, t *targets.Target) error {
	if l, ok := f.(faults.Listening); ok && t.Queue.Topic != "" {
		if err := knownName("topic", l.Events(), []string{t.Queue.Topic}); err != nil {
			return err
		}
	}
	p, ok := f.(faults.Placed)
	if !ok {
		return nil
	}
	link, messages := p.Place()
	for _, name := range messages {
		if err := knownMessage(t, link, name); err != nil {
			return fmt.Errorf("message: %w", err)
		}
	}
	return nil
}

// word is what a message can be called in a target file, and what no label on the wire looks like.
var word = regexp.MustCompile(`^[a-z0-9_-]+$`)

// knownMessage checks a message of a link: a name must stand in the target file, and a label, or a pattern of one, must be
// such as requests on the link can have.
func knownMessage(t *targets.Target, link, name string) error {
	known := t.Messages(link)
	if known[name] != nil {
		return nil
	}
	if word.MatchString(name) {
		return errors.New(decode.UnknownName("message of link "+link, name, slices.Sorted(maps.Keys(known))))
	}
	begins, pattern := name, false
	if i := strings.IndexAny(name, `*?[\`); i >= 0 {
		begins, pattern = name[:i], true
	}
	words := stack.Words(link)
	if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return w == begins || strings.HasPrefix(begins, w+" ") || pattern && strings.HasPrefix(w, begins)
	}) {
		first, _, _ := strings.Cut(begins, " ")
		return errors.New(decode.UnknownName("message of link "+link, first, words))
	}
	if link == stack.DBLink && t.Database != nil {
		return knownTable(name, t.Database.Tables)
	}
	return nil
}

// tabled are the statements whose label is the verb and the table.
var tabled = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE"}

// knownTable checks the table of a statement.
func knownTable(label string, tables []string) error {
	verb, table, _ := strings.Cut(label, " ")
	if table == "" || !slices.Contains(tabled, verb) || slices.ContainsFunc(tables, func(name string) bool {
		ok, _ := path.Match(table, name)
		return ok
	}) {
		return nil
	}
	return knownName("table", table, tables)
}
