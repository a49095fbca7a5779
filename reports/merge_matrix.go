package reports

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MergeMatrices puts the kill matrices of the parts of one run together. It refuses what Merge refuses.
func MergeMatrices(parts []*Matrix) (*Matrix, error) {
	if len(parts) == 0 {
		return nil, errors.New("nothing to merge: name the folders of the parts")
	}
	heads := make([]*Document, len(parts))
	for i, m := range parts {
		heads[i] = &Document{Tool: m.Tool, Seed: m.Seed, Speed: m.Speed, Runtime: m.Runtime, Shard: m.Shard, Command: "mutants", Repeat: 1}
		if err := sameRun(heads[0], heads[i]); err != nil {
			return nil, err
		}
		for _, o := range heads[:i] {
			if o.Shard != nil && m.Shard != nil && o.Shard.Index == m.Shard.Index {
				return nil, fmt.Errorf("part %s is named twice", m.Shard)
			}
		}
	}
	out := *parts[0]
	out.Shard, out.Control, out.ControlTrials, out.Rows, out.Columns, out.Skipped, out.Others = nil, "", Summary{}, nil, nil, nil, nil
	if out.Error = missing(heads); out.Error != "" {
		out.Code = worseCode(out.Code, environmentCode)
	}
	rows, cols := map[string]*MatrixRow{}, map[string]*MatrixColumn{}
	skipped := map[string]bool{}
	for _, m := range parts {
		out.DurationMS = max(out.DurationMS, m.DurationMS)
		out.Control, out.Code = Worst(out.Control, m.Control), worseCode(out.Code, m.Code)
		out.ControlTrials.add(m.ControlTrials)
		for _, line := range m.Skipped {
			skipped[line] = true
		}
		for _, r := range m.Rows {
			if rows[r.Mutant] == nil {
				rows[r.Mutant] = &MatrixRow{Mutant: r.Mutant, Doc: r.Doc, Scenario: r.Scenario, Check: r.Check, Reason: r.Reason}
			}
			rows[r.Mutant].add(r)
		}
		for _, c := range m.Columns {
			if cols[c.Scenario] == nil {
				cols[c.Scenario] = &MatrixColumn{Scenario: c.Scenario, Named: c.Named, Kills: slices.Clone(c.Kills)}
			}
			cols[c.Scenario].add(c)
		}
	}
	for _, m := range parts {
		for mutant, where := range m.Others {
			if r := rows[mutant]; r != nil {
				r.Elsewhere = union(r.Elsewhere, where)
			}
		}
	}
	out.Skipped = slices.Sorted(maps.Keys(skipped))
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		out.Rows = append(out.Rows, *rows[name])
	}
	for _, name := range slices.Sorted(maps.Keys(cols)) {
		out.Columns = append(out.Columns, *cols[name])
	}
	return &out, nil
}

// environmentCode is the exit code for trouble of the environment.
const environmentCode = 4

// worseCode is the worse of two exit codes: interrupted, broken, environment, inconclusive, pass.
func worseCode(a, b int) int {
	order := []int{0, 3, environmentCode, 1, 130}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

func (s *Summary) add(o Summary) {
	s.Pass, s.Fail = s.Pass+o.Pass, s.Fail+o.Fail
	s.Inconclusive, s.Skipped = s.Inconclusive+o.Inconclusive, s.Skipped+o.Skipped
}

// add adds the trials of one mutant in another part.
func (r *MatrixRow) add(o MatrixRow) {
	r.Trials, r.Kills = r.Trials+o.Trials, r.Kills+o.Kills
	r.Killed = r.Trials > 0 && r.Kills == r.Trials
	r.By, r.Elsewhere = union(r.By, o.By), union(r.Elsewhere, o.Elsewhere)
	r.Says, r.Class = cmp.Or(r.Says, o.Says), cmp.Or(r.Class, o.Class)
	r.Note = strings.Trim(r.Note+"; "+o.Note, "; ")
}

// add adds the trials of one scenario in another part. What lived through one of them is not killed in every trial.
func (c *MatrixColumn) add(o MatrixColumn) {
	c.Control.add(o.Control)
	c.Kills = slices.DeleteFunc(c.Kills, func(m string) bool { return !slices.Contains(o.Kills, m) })
}

func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
