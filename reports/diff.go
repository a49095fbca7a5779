package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Diff is what changed from one run to another.
type Diff struct {
	Before, After *Document

	New, Fixed, Still []Failure
	// Uncovered are the scenarios that the run before has judged and the run after has not, each with the reason.
	Uncovered []string
	// Heads are the ways in which the runs themselves differ, such as their versions.
	Heads []string
}

// change is one list of failures under a word, with the sign that stands in front of each.
type change struct {
	word, sign string
	list       []Failure
	level      string // of its heading on a page
}

// Compare says what changed from one result to another. Failures are the same where scenario, mutant and check are.
func Compare(before, after *Document) *Diff {
	d := &Diff{Before: before, After: after}
	then, now := Failures(before), Failures(after)
	seenThen, seenNow := covered(before), covered(after)
	for _, f := range now {
		if has(then, f) {
			d.Still = append(d.Still, f)
		} else {
			d.New = append(d.New, f)
		}
	}
	for _, f := range then {
		if !has(now, f) && seenNow[[2]string{f.Scenario, f.Mutant}] != "" {
			d.Fixed = append(d.Fixed, f)
		}
	}
	for _, s := range before.Scenarios {
		key := [2]string{s.Name, s.Mutant}
		if seenThen[key] == "" || seenNow[key] != "" {
			continue
		}
		line := Failure{Scenario: s.Name, Family: s.Family, Mutant: s.Mutant}.place() + ": " + uncoveredWhy(after, key)
		if !slices.Contains(d.Uncovered, line) {
			d.Uncovered = append(d.Uncovered, line)
		}
	}
	slices.Sort(d.Uncovered)
	d.Heads = headsApart(before, after)
	return d
}

func uncoveredWhy(doc *Document, key [2]string) string {
	for i := range doc.Scenarios {
		if s := &doc.Scenarios[i]; s.Name == key[0] && s.Mutant == key[1] && s.Verdict != Pass && s.Verdict != Fail {
			return string(s.Verdict) + ", " + why(s)
		}
	}
	return "not carried out"
}

func headsApart(a, b *Document) (out []string) {
	for _, h := range []struct{ what, a, b string }{
		{"onedebit", a.Tool.Version, b.Tool.Version},
		{"target", a.Target, b.Target},
		{"mutant", a.Mutant, b.Mutant},
		{"runtime", a.Runtime, b.Runtime},
		{"speed", times(a.Speed), times(b.Speed)},
		{"seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed)},
		{"trials", fmt.Sprint(max(1, a.Repeat)), fmt.Sprint(max(1, b.Repeat))},
	} {
		if h.a != h.b {
			out = append(out, fmt.Sprintf("%s: %s → %s", h.what, cmp.Or(h.a, "none"), cmp.Or(h.b, "none")))
		}
	}
	return out
}

func (d *Diff) lists() []change {
	return []change{
		{word: "new", sign: "✗", list: d.New}, {word: "fixed", sign: "✓", list: d.Fixed}, {word: "still failing", sign: "·", list: d.Still},
	}
}

// headline is "2 new, 1 fixed, 0 still failing, 3 no longer covered".
func (d *Diff) headline() string {
	return fmt.Sprintf("%d new, %d fixed, %d still failing, %d no longer covered", len(d.New), len(d.Fixed), len(d.Still), len(d.Uncovered))
}

// DiffText writes the comparison for a terminal that is width columns wide. All is listed: it is what was asked for.
func DiffText(w io.Writer, d *Diff, width int, color bool) error {
	s := newScreen(width, color)
	colour := green
	switch {
	case len(d.New) > 0:
		colour = red
	case len(d.Uncovered) > 0:
		colour = yellow
	}
	s.put(colour, d.headline())
	for _, h := range d.Heads {
		s.put("", s.cut("  ", h))
	}
	for _, c := range d.lists() {
		s.changes(c)
	}
	for _, line := range d.Uncovered {
		for _, l := range s.wrap("  ", "? no longer covered: "+line, 2) {
			s.put(yellow, l)
		}
	}
	if _, err := w.Write(s.Bytes()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

var changeColours = map[string]string{"✗": red, "✓": green, "?": yellow}

// changes lists failures with what they say.
func (s *screen) changes(c change) {
	for _, f := range c.list {
		for _, l := range s.wrap("  ", c.sign+" "+c.word+": "+f.String(), 2) {
			s.put(changeColours[c.sign], l)
		}
		if f.Says != "" && c.sign != "✓" {
			for _, l := range s.wrap("      ", f.Says, 2) {
				s.put("", l)
			}
		}
		if f.Again != "" && c.sign == "✗" {
			s.put("", "      "+oneLine(f.Again, 4*s.width))
		}
	}
}

// DiffMarkdown writes the comparison as a page, for example for a comment on a merge request.
func DiffMarkdown(w io.Writer, d *Diff) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Two payment fault-injection runs: %s\n", d.headline())
	if len(d.Heads) > 0 {
		b.WriteString("\nThe runs themselves differ:\n\n")
		for _, h := range d.Heads {
			fmt.Fprintf(&b, "- %s\n", opening(h, 200))
		}
	}
	for _, c := range d.lists() {
		c.markdown(&b)
	}
	if len(d.Uncovered) > 0 {
		b.WriteString("\n## No longer covered\n\n")
		for _, line := range d.Uncovered {
			fmt.Fprintf(&b, "- %s\n", opening(line, 400))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func (c change) markdown(w io.Writer) {
	if len(c.list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s %s%s\n\n", cmp.Or(c.level, "##"), strings.ToUpper(c.word[:1]), c.word[1:])
	for _, f := range c.list {
		fmt.Fprintf(w, "- %s: %s", code(f.place(), 120), code(f.Check, 80))
		if f.Says != "" && c.sign != "✓" {
			fmt.Fprintf(w, ": %s", prose(f.Says, 400))
		}
		if f.Again != "" && c.sign == "✗" {
			fmt.Fprintf(w, "; again: %s", code(f.Again, 1000))
		}
		fmt.Fprintln(w)
	}
}
