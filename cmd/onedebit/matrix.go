package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onedebit/reference/mutants"
	"onedebit/reports"
)

// matrixOf is the kill matrix of a result that holds the control and the mutants.
func matrixOf(list []mutants.Mutant, doc *reports.Document, everywhere bool) *reports.Matrix {
	m := &reports.Matrix{
		Version: reports.Version, Tool: doc.Tool, Seed: doc.Seed, Speed: doc.Speed, Runtime: doc.Runtime,
		DurationMS: doc.DurationMS, Everywhere: everywhere, Error: doc.Error, Shard: doc.Shard,
	}
	if doc.Shard != nil {
		list, m.Others = ofPart(list, doc)
	}
	m.Code = int(matrixCode(list, doc))
	for i := range doc.Scenarios {
		if s := &doc.Scenarios[i]; s.Mutant == "" && s.Verdict != reports.Skipped {
			m.Control = reports.Worst(m.Control, s.Verdict)
			m.ControlTrials.Count(s.Verdict)
		}
	}
	for _, mutant := range list {
		if why := skipped(mutant, doc); why != "" {
			m.Skipped = append(m.Skipped, fmt.Sprintf("%s on %s: %s", mutant.Name, mutant.Scenario, why))
			continue
		}
		m.Rows = append(m.Rows, row(mutant, doc))
	}
	m.Columns = columns(list, doc)
	return m
}

// ofPart divides mutants into those whose own scenario is in this part of a run, and what else kills the others.
func ofPart(list []mutants.Mutant, doc *reports.Document) (own []mutants.Mutant, others map[string][]string) {
	others = map[string][]string{}
	for _, m := range list {
		here := slices.ContainsFunc(doc.Scenarios, func(s reports.Scenario) bool { return s.Mutant == m.Name && s.Name == m.Scenario })
		if here {
			own = append(own, m)
		} else if where := row(m, doc).Elsewhere; len(where) > 0 {
			others[m.Name] = where
		}
	}
	return own, others
}

// skipped says why the scenario of a mutant could not be carried out, or "".
func skipped(m mutants.Mutant, doc *reports.Document) string {
	for _, s := range doc.Scenarios {
		if s.Mutant == m.Name && s.Name == m.Scenario && s.Verdict == reports.Skipped {
			return s.Reason
		}
	}
	return ""
}

// row counts a mutant's trials on its own scenario. A trial kills it only where the check that it names has failed for the
// reason that it names.
func row(m mutants.Mutant, doc *reports.Document) reports.MatrixRow {
	r := reports.MatrixRow{Mutant: m.Name, Doc: m.Doc, Scenario: m.Scenario, Check: m.Check, Reason: m.Says}
	var notes []string
	others := map[string][]string{}
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		switch {
		case s.Mutant != m.Name:
			continue
		case s.Name != m.Scenario:
			if s.Verdict == reports.Fail {
				others[s.Name] = append(others[s.Name], failed(s)...)
			}
			continue
		}
		r.Trials++
		for _, name := range failed(s) {
			if !slices.Contains(r.By, name) {
				r.By = append(r.By, name)
			}
		}
		if says := said(s, m); says != "" {
			r.Kills++
			r.Says = cmp.Or(r.Says, says)
			continue
		}
		r.Class = cmp.Or(r.Class, class(s, m, doc))
		if len(notes) < 3 {
			notes = append(notes, strings.TrimSpace(fmt.Sprintf("trial %d: %s %s", s.Trial, s.Verdict, s.Reason)))
		}
	}
	for name, by := range others {
		slices.Sort(by)
		r.Elsewhere = append(r.Elsewhere, name+" ("+strings.Join(slices.Compact(by), ", ")+")")
	}
	slices.Sort(r.Elsewhere)
	r.Killed = r.Trials > 0 && r.Kills == r.Trials
	r.Note = strings.Join(notes, "; ")
	return r
}

// failed are the checks that failed in a trial.
func failed(s *reports.Scenario) (out []string) {
	for _, c := range s.Checks {
		if c.Verdict == reports.Fail {
			out = append(out, c.Name)
		}
	}
	return out
}

// said is the first finding that kills a mutant: of the check that it names, with what it must say. "" is no kill.
func said(s *reports.Scenario, m mutants.Mutant) string {
	for _, c := range s.Checks {
		if c.Name != m.Check || c.Verdict != reports.Fail {
			continue
		}
		for _, f := range c.Findings {
			if strings.Contains(f.Message, m.Says) {
				return f.Message
			}
		}
	}
	return ""
}

// class says why a trial did not kill its mutant: whose weakness it was.
func class(s *reports.Scenario, m mutants.Mutant, doc *reports.Document) string {
	if s.Environment || s.Error != "" {
		return reports.ClassTrouble
	}
	for _, f := range s.Faults {
		if f.Fired == 0 && !f.Optional {
			return reports.ClassWorkload + ": fault " + f.Name + " was never felt"
		}
	}
	for _, c := range s.Checks {
		if c.Name == m.Check && c.Verdict == reports.Fail && len(c.Findings) > 0 {
			return fmt.Sprintf("%s: %s failed for another reason than %q: %s", reports.ClassCheck, c.Name, m.Says, c.Findings[0].Message)
		}
	}
	if by := failed(s); len(by) > 0 {
		return reports.ClassCheck + ": " + strings.Join(by, ", ") + " saw it, and the check that is named did not"
	}
	for _, c := range s.Checks {
		if c.Name == m.Check && c.Verdict != reports.Pass {
			return reports.ClassWorkload + ": the check had nothing to see"
		}
	}
	for i := range doc.Scenarios {
		if c := &doc.Scenarios[i]; c.Mutant == "" && c.Name == s.Name && slices.Equal(c.Outcome, s.Outcome) {
			return reports.ClassMutant + ": rows and ledger are those of the correct reference"
		}
	}
	return reports.ClassCheck + ": rows or ledger differ from those of the correct reference, and no check says so"
}

// columns count what each scenario kills, by any check, in every trial.
func columns(list []mutants.Mutant, doc *reports.Document) []reports.MatrixColumn {
	var out []reports.MatrixColumn
	at := map[string]int{}
	alive := map[[2]string]bool{}
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		if s.Verdict == reports.Skipped {
			continue
		}
		k, known := at[s.Name]
		if !known {
			k = len(out)
			at[s.Name] = k
			out = append(out, reports.MatrixColumn{Scenario: s.Name})
		}
		pair := [2]string{s.Name, s.Mutant}
		if s.Mutant == "" {
			out[k].Control.Count(s.Verdict)
		} else if s.Verdict != reports.Fail {
			alive[pair] = true
		} else if !slices.Contains(out[k].Kills, s.Mutant) {
			out[k].Kills = append(out[k].Kills, s.Mutant)
		}
	}
	for i := range out {
		out[i].Kills = slices.DeleteFunc(out[i].Kills, func(m string) bool { return alive[[2]string{out[i].Scenario, m}] })
		slices.Sort(out[i].Kills)
		for _, m := range list {
			if m.Scenario == out[i].Scenario {
				out[i].Named++
			}
		}
	}
	return out
}
