package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// MatrixMarkdown writes the matrix as a page; survivors come first and in bold.
func MatrixMarkdown(w io.Writer, m *Matrix) error {
	word, sentence := m.verdict()
	p := page{Buffer: &bytes.Buffer{}, detail: details[0]}
	p.printf("# Kill matrix: **%s**\n", prose(word, p.name))
	p.printf("%s.\n", prose(strings.ToUpper(sentence[:1])+sentence[1:], p.note))
	if alarms := m.falseAlarms(); alarms != "" {
		p.printf("%s.\n", prose(strings.ToUpper(alarms[:1])+alarms[1:], p.note))
	}
	if alive := m.Survivors(); len(alive) > 0 {
		p.printf("## ⚠ Survivors\n")
		p.printf("These broken services were **not** caught; until they are, a pass does not cover their fault.\n")
		for _, r := range alive {
			p.printf("- **%s** %s on %s: %s", r.fate(), code(r.Mutant, p.name), code(r.Scenario, p.name), prose(r.why(), p.note))
		}
		p.printf("")
	}
	p.printf("## All mutants\n")
	p.header("mutant", "what is wrong with it", "scenario", "check", "for the reason", "outcome", "kills", "rate", "by", "what it said")
	for _, r := range m.Rows {
		fate := r.fate()
		if fate != "killed" {
			fate = "**" + fate + "**"
		}
		by := make([]string, len(r.By))
		for i, c := range r.By {
			by[i] = codeCell(c, p.name)
		}
		p.row(codeCell(r.Mutant, p.name), prose(r.Doc, p.note), codeCell(r.Scenario, p.name), codeCell(r.Check, p.name), prose(r.Reason, p.note),
			fate, fmt.Sprintf("%d/%d", r.Kills, r.Trials), r.interval(), strings.Join(by, ", "), prose(cmp.Or(r.Says, r.Note), p.note))
	}
	m.columnsMarkdown(&p)
	if len(m.Skipped) > 0 {
		p.printf("\n## Not tried\n")
		for _, line := range m.Skipped {
			p.printf("- %s", prose(line, p.note))
		}
	}
	p.printf("\nControl (the correct reference): **%s**. Runtime %s, speed %s, seed `%d`, %s %s, %s.", prose(cmp.Or(string(m.Control), "not run"), p.name),
		prose(m.Runtime, p.name), times(m.Speed), m.Seed, prose(cmp.Or(m.Tool.Name, "onedebit"), p.name), prose(m.Tool.Version, p.name), lasted(m.DurationMS))
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write matrix: %w", err)
	}
	return nil
}

// why says of a survivor whose weakness it was, and what was seen.
func (r MatrixRow) why() string {
	if r.Class == "" {
		return cmp.Or(r.Note, r.Doc, "no note")
	}
	return strings.TrimSuffix(r.Class+"; "+r.Note, "; ")
}

// interval is the share of trials that killed, as the interval in which it surely lies.
func (r MatrixRow) interval() string {
	if r.Trials == 0 {
		return ""
	}
	low, high := wilson(min(r.Kills, r.Trials), r.Trials)
	return fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
}

// columnsMarkdown writes what each scenario kills.
func (m *Matrix) columnsMarkdown(p *page) {
	if len(m.Columns) == 0 {
		return
	}
	p.printf("\n## Scenarios\n")
	if m.Everywhere {
		p.printf("Every mutant ran on every scenario. A scenario that kills nothing earns nothing.\n")
	}
	p.header("scenario", "control", "mutants that name it", "kills", "which")
	for _, c := range m.Columns {
		kills := make([]string, len(c.Kills))
		for i, k := range c.Kills {
			kills[i] = codeCell(k, p.name)
		}
		n := fmt.Sprint(len(c.Kills))
		if m.Everywhere && len(c.Kills) == 0 {
			n = "**none**"
		}
		s := c.Control
		p.row(codeCell(c.Scenario, p.name), fmt.Sprintf("%d/%d", s.Pass, s.Pass+s.Fail+s.Inconclusive), fmt.Sprint(c.Named), n, strings.Join(kills, ", "))
	}
	if !m.Everywhere {
		return
	}
	p.printf("\n## What else kills each mutant\n")
	for _, r := range m.Rows {
		p.printf("- %s: %s", code(r.Mutant, p.name), prose(cmp.Or(strings.Join(r.Elsewhere, ", "), "nothing else"), p.command))
	}
}

// MatrixText writes the matrix for a terminal that is width columns wide; below 40 it is taken for 80. Every mutant has
// a line, survivors are marked with ✗ and repeated at the end, where the eye is. Colours only repeat the words.
func MatrixText(w io.Writer, m *Matrix, width int, color bool) error {
	s := newScreen(width, color)
	outcome := len("killed at times")
	mutant := (s.width - outcome - 14) / 2
	for _, r := range m.Rows {
		colour, sign := green, "✓"
		switch {
		case !r.dead():
			colour, sign = red, "✗"
		case r.fate() != "killed":
			colour, sign = yellow, "?"
		}
		line := fmt.Sprintf("%s %s %s %s %s", sign, s.column(r.Mutant, mutant), s.column(r.Scenario, mutant),
			s.column(r.fate(), outcome+1), fmt.Sprintf("%d/%d", r.Kills, r.Trials))
		s.put(colour, s.fit(line))
	}
	word, sentence := m.verdict()
	colour := green
	if word != "ALL KILLED" {
		colour = red
	}
	for _, l := range s.wrap("", word+": "+sentence, 4) {
		s.put(colour, l)
	}
	if alarms := m.falseAlarms(); alarms != "" {
		for _, l := range s.wrap("  ", alarms, 2) {
			s.put("", l)
		}
	}
	if idle := m.idle(); len(idle) > 0 {
		for _, l := range s.wrap("  ", fmt.Sprintf("? %s nothing: %s", counted(len(idle), "scenario kills", "scenarios kill"), strings.Join(idle, ", ")), 2) {
			s.put(yellow, l)
		}
	}
	for _, r := range m.Survivors() {
		for _, l := range s.wrap("  ", fmt.Sprintf("✗ %s: %s on %s: %s", r.fate(), r.Mutant, r.Scenario, r.why()), 2) {
			s.put(red, l)
		}
	}
	for _, reason := range reasons(m.Skipped) {
		for _, l := range s.wrap("  ", reason, 2) {
			s.put("", l)
		}
	}
	if _, err := w.Write(s.Bytes()); err != nil {
		return fmt.Errorf("write matrix: %w", err)
	}
	return nil
}

// reasons are why mutants were not tried, each once, with how many it concerns.
func reasons(skipped []string) []string {
	var out []string
	counts := map[string]int{}
	for _, line := range skipped {
		_, why, _ := strings.Cut(line, ": ")
		if counts[why]++; counts[why] == 1 {
			out = append(out, why)
		}
	}
	for i, why := range out {
		out[i] = fmt.Sprintf("– %s not tried: %s", count(counts[why], "mutant"), oneLine(why, 400))
	}
	return out
}

// column is a text of exactly n cells.
func (s *screen) column(text string, n int) string {
	return columns.FillRight(columns.Truncate(oneLine(text, 4*n), n, "…"), n)
}

// counted is a number with one of two words.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
