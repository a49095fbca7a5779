package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// BySweep says which wrong services a sweep finds by itself, without a scenario that somebody wrote.
type BySweep struct {
	Version    int          `json:"version"` // as in Document
	Tool       Tool         `json:"tool"`
	Seed       uint64       `json:"seed"`
	Speed      float64      `json:"speed"`
	Runtime    string       `json:"runtime"`
	DurationMS int64        `json:"duration_ms"`
	Control    Summary      `json:"control"` // the correct reference on the same experiments: one that it does not pass kills nothing
	Rows       []BySweepRow `json:"rows"`
}

// BySweepRow is one mutant.
type BySweepRow struct {
	Mutant string `json:"mutant"`
	Doc    string `json:"doc"`
	Other  string `json:"other,omitempty"`  // why its fault is no single loss, delay, duplicate or crash
	Absent string `json:"absent,omitempty"` // what this run lacked to try it
	Tried  int    `json:"tried"`            // experiments
	Killed string `json:"killed,omitempty"` // the experiment that fails with it
	Title  string `json:"title,omitempty"`  // what that experiment does
	Check  string `json:"check,omitempty"`  // that fails there
	Why    string `json:"why,omitempty"`    // of one that was tried and not killed
}

// untried says why a mutant was not tried, or "".
func (r BySweepRow) untried() string {
	if r.Other != "" && r.Absent != "" {
		return r.Other + "; " + r.Absent
	}
	return r.Other + r.Absent
}

// single counts the mutants that a sweep is meant to find, and those of them that it found.
func (b *BySweep) single() (killed, all int) {
	for _, r := range b.Rows {
		if r.untried() != "" {
			continue
		}
		all++
		if r.Killed != "" {
			killed++
		}
	}
	return killed, all
}

// Share is the part of the mutants with a single fault that was killed, from 0 to 1.
func (b *BySweep) Share() float64 {
	killed, all := b.single()
	if all == 0 {
		return 0
	}
	return float64(killed) / float64(all)
}

func (b *BySweep) sentence() string {
	killed, all := b.single()
	return fmt.Sprintf("%d of %s whose fault is a single loss, delay, duplicate or crash killed without a written scenario (%.0f %%)",
		killed, count(all, "mutant"), 100*b.Share())
}

// SaveBySweep writes the list to mutants-by-sweep.json and mutants-by-sweep.md in a folder, each whole or not at all.
func SaveBySweep(dir string, b *BySweep) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create report directory: %w; choose another with --out", err)
	}
	var data, page bytes.Buffer
	err := writeJSON(&data, b)
	err = errors.Join(err, BySweepMarkdown(&page, b))
	if err == nil {
		err = errors.Join(replace(filepath.Join(dir, "mutants-by-sweep.json"), data.Bytes()), replace(filepath.Join(dir, "mutants-by-sweep.md"), page.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write mutants-by-sweep: %w", err)
	}
	return nil
}

// BySweepMarkdown writes the list for people.
func BySweepMarkdown(w io.Writer, b *BySweep) error {
	var out strings.Builder
	c := b.Control
	fmt.Fprintf(&out, "%s. The correct reference passed %d of the %d experiments, seed `%d`, %s, %s.\n",
		b.sentence(), c.Pass, c.Total(), b.Seed, prose(b.Runtime, 40), times(b.Speed))
	table := func(title, head string, cells func(BySweepRow) []string) {
		var rows strings.Builder
		for _, r := range b.Rows {
			if c := cells(r); c != nil {
				fmt.Fprintf(&rows, "| %s |\n", strings.Join(c, " | "))
			}
		}
		if rows.Len() > 0 {
			fmt.Fprintf(&out, "\n%s\n\n%s\n%s|\n%s", title, head, strings.Repeat("|---", strings.Count(head, "|")-1), rows.String())
		}
	}
	table("Killed:", "| mutant | by the experiment | check |", func(r BySweepRow) []string {
		if r.Killed == "" {
			return nil
		}
		return []string{codeCell(r.Mutant, 60), prose(r.Title, 300), codeCell(r.Check, 60)}
	})
	table("Not killed:", "| mutant | what is wrong with it | experiments | why it lives |", func(r BySweepRow) []string {
		if r.Killed != "" || r.untried() != "" {
			return nil
		}
		return []string{codeCell(r.Mutant, 60), prose(r.Doc, 200), fmt.Sprint(r.Tried), prose(r.Why, 300)}
	})
	table("Not tried, since no single loss, delay, duplicate or crash makes it go wrong, or since this run had not what it takes:",
		"| mutant | why not |", func(r BySweepRow) []string {
			if r.Killed != "" || r.untried() == "" {
				return nil
			}
			return []string{codeCell(r.Mutant, 60), prose(r.untried(), 200)}
		})
	_, err := io.WriteString(w, out.String())
	return err
}

// BySweepText writes the list for a terminal.
func BySweepText(w io.Writer, b *BySweep) error {
	var out strings.Builder
	for _, r := range b.Rows {
		switch {
		case r.Killed != "":
			fmt.Fprintf(&out, "  ✓ %-26s %s: %s\n", oneLine(r.Mutant, 60), oneLine(r.Check, 60), oneLine(r.Killed, 120))
		case r.untried() != "":
			fmt.Fprintf(&out, "  – %-26s %s\n", oneLine(r.Mutant, 60), oneLine(r.untried(), 120))
		default:
			fmt.Fprintf(&out, "  ✗ %-26s %d experiments: %s\n", oneLine(r.Mutant, 60), r.Tried, oneLine(r.Why, 160))
		}
	}
	fmt.Fprintf(&out, "%s\n", b.sentence())
	_, err := io.WriteString(w, out.String())
	return err
}
