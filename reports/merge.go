package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Merge puts the parts of one run together, in whatever order they come, into the result that one run of all would have had.
// It refuses parts of which one cannot be of the same run: another seed, version, target, or an experiment that is in two of
// them. A part that is missing is trouble of the environment, since nobody has said that it passed.
func Merge(parts []*Document) (*Document, error) {
	if len(parts) == 0 {
		return nil, errors.New("nothing to merge: name the folders of the parts")
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Document) int { return cmp.Compare(a.place(), b.place()) })
	first := parts[0]
	for _, d := range parts[1:] {
		if err := sameRun(first, d); err != nil {
			return nil, err
		}
	}
	if err := apart(parts); err != nil {
		return nil, err
	}
	out := *first
	out.Shard, out.Command = nil, first.whole()
	out.Summary, out.Money, out.Clean = Summary{}, Money{}, 0
	out.Scenarios, out.NotCovered, out.Grounds = []Scenario{}, nil, nil
	var errs []string
	for _, d := range parts {
		out.add(d)
		if d.Error != "" {
			errs = append(errs, fmt.Sprintf("part %s: %s", d.name(), d.Error))
		}
	}
	if missing := missing(parts); missing != "" {
		errs = append(errs, missing)
	}
	out.Error = strings.Join(errs, "; ")
	var err error
	if out.Sweep, err = mergeSweeps(parts); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Scenarios, func(a, b Scenario) int {
		return cmp.Or(cmp.Compare(a.Trial, b.Trial), strings.Compare(a.Mutant, b.Mutant), strings.Compare(a.Family, b.Family), strings.Compare(a.Name, b.Name))
	})
	for _, list := range []*[]string{&out.NotCovered, &out.Grounds} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	out.Summary, out.Verdict = Summarise(out.Scenarios)
	return &out, nil
}

// add adds what a part says. Parts run side by side: the run took as long as the longest.
func (d *Document) add(part *Document) {
	if part.Started.Before(d.Started) {
		d.Started = part.Started
	}
	d.DurationMS = max(d.DurationMS, part.DurationMS)
	d.Interrupted = d.Interrupted || part.Interrupted
	d.Money.Add(part.Money)
	d.Clean += part.Clean
	d.Scenarios = append(d.Scenarios, part.Scenarios...)
	d.NotCovered = append(d.NotCovered, part.NotCovered...)
	d.Grounds = append(d.Grounds, part.Grounds...)
}

// place orders parts; one that is no shard keeps its place behind them.
func (d *Document) place() int {
	if d.Shard == nil {
		return 1 << 30
	}
	return d.Shard.Index
}

// name is what a part is called in an error.
func (d *Document) name() string {
	if d.Shard == nil {
		return fmt.Sprintf("of %q", d.Command)
	}
	return d.Shard.String()
}

// whole is the command of a part without the words that only say which part it is.
func (d *Document) whole() string {
	var out []string
	words := strings.Fields(d.Command)
	for i := 0; i < len(words); i++ {
		flag, _, joined := strings.Cut(words[i], "=")
		if slices.Contains([]string{"--shard", "--durations"}, flag) {
			if !joined {
				i++ // its value
			}
			continue
		}
		out = append(out, words[i])
	}
	return strings.Join(out, " ")
}

// sameRun refuses two parts that cannot be of one run, and says in what they differ.
func sameRun(a, b *Document) error {
	for _, d := range []struct{ what, a, b string }{
		{"version", a.Tool.Version, b.Tool.Version},
		{"seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed)},
		{"target", a.Target, b.Target},
		{"mutant", a.Mutant, b.Mutant},
		{"runtime", a.Runtime, b.Runtime},
		{"speed", times(a.Speed), times(b.Speed)},
		{"number of trials", fmt.Sprint(a.Repeat), fmt.Sprint(b.Repeat)},
	} {
		if d.a != d.b {
			return fmt.Errorf("parts of different runs cannot be merged: %s has %s %s, %s has %s; run the parts with the same --seed and the same onedebit",
				a.name(), d.what, cmp.Or(d.a, "none"), b.name(), cmp.Or(d.b, "none"))
		}
	}
	if a.Shard != nil && b.Shard != nil && (a.Shard.Of != b.Shard.Of || a.Shard.Whole != b.Shard.Whole) {
		return fmt.Errorf("parts of different runs cannot be merged: %s is of %s, %s of %s", a.name(), count(a.Shard.Whole, "experiment"), b.name(), count(b.Shard.Whole, "experiment"))
	}
	return nil
}

// apart refuses an experiment that is in two parts.
func apart(parts []*Document) error {
	seen := map[[3]string]*Document{}
	for _, d := range parts {
		for _, s := range d.Scenarios {
			key := [3]string{s.Name, s.Mutant, fmt.Sprint(s.Trial)}
			if other := seen[key]; other != nil {
				return fmt.Errorf("the parts overlap: trial %d of %s is in %s and in %s; name each part once, and give all parts the same --durations", s.Trial, s.Name, other.name(), d.name())
			}
			seen[key] = d
		}
	}
	return nil
}

// missing says which parts of a run are not there, or "". Where all are there, they make up the whole.
func missing(parts []*Document) string {
	first := parts[0].Shard
	if first == nil {
		return ""
	}
	there, planned := map[int]bool{}, 0
	for _, d := range parts {
		if d.Shard != nil {
			there[d.Shard.Index] = true
			planned += d.Shard.Planned
		}
	}
	var gone []string
	for i := range first.Of {
		if !there[i+1] {
			gone = append(gone, fmt.Sprintf("%d/%d", i+1, first.Of))
		}
	}
	switch {
	case len(gone) > 0:
		return "no result of part " + strings.Join(gone, ", ")
	case planned != first.Whole:
		return fmt.Sprintf("the parts hold %d of %s: were all given the same --durations?", planned, count(first.Whole, "experiment"))
	}
	return ""
}
