package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Matrix is the proof that the checks see: each mutant against the scenario and the check that should kill it.
type Matrix struct {
	Version    int     `json:"version"` // as in Document
	Tool       Tool    `json:"tool"`
	Seed       uint64  `json:"seed"`
	Speed      float64 `json:"speed"`
	Runtime    string  `json:"runtime"`
	DurationMS int64   `json:"duration_ms"`
	Control    Verdict `json:"control"` // the correct reference on the same scenarios; anything but Pass makes every kill worthless
	// ControlTrials count the trials of the correct reference: each that is a Fail is a false alarm.
	ControlTrials Summary        `json:"control_trials"`
	Everywhere    bool           `json:"everywhere,omitempty"` // every mutant was tried on every scenario
	Rows          []MatrixRow    `json:"rows"`
	Columns       []MatrixColumn `json:"columns,omitempty"`
	// Skipped are the mutants whose scenario this run could not carry out, each with the reason. They are neither killed
	// nor alive.
	Skipped []string `json:"skipped,omitempty"`
	Code    int      `json:"exit_code"`       // with which onedebit ended
	Error   string   `json:"error,omitempty"` // trouble that ended the run, or parts that are missing
	Shard   *Shard   `json:"shard,omitempty"` // the part of a run that it is of; nil for the whole
	// Others are, in a part, what else kills the mutants whose own scenario is in another part.
	Others map[string][]string `json:"others,omitempty"`
}

// MatrixRow is one mutant on one scenario.
type MatrixRow struct {
	Mutant    string   `json:"mutant"`
	Doc       string   `json:"doc"`
	Scenario  string   `json:"scenario"`
	Check     string   `json:"check"`            // the check that should fail
	Reason    string   `json:"reason,omitempty"` // what it should say: a part of its sentence
	Killed    bool     `json:"killed"`
	By        []string `json:"by,omitempty"` // the checks that failed
	Trials    int      `json:"trials"`
	Kills     int      `json:"kills"` // trials in which the mutant was killed
	Rate      Rate     `json:"rate"`
	Says      string   `json:"says,omitempty"`      // what the named check said in the first trial that killed
	Class     string   `json:"class,omitempty"`     // of a survivor: whose weakness it was, one of the classes with a reason
	Elsewhere []string `json:"elsewhere,omitempty"` // other scenarios that fail with it, each with the checks that fail there
	Note      string   `json:"note,omitempty"`
}

// Rate is the 95 % score interval (Wilson) of a share of trials, from 0 to 1.
type Rate struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Classes of survivors.
const (
	ClassWorkload = "weak workload" // the mutant was given no occasion to go wrong, or nothing of it could be seen
	ClassCheck    = "weak check"    // it went wrong, and the check that is named was silent
	ClassMutant   = "bad mutant"    // nothing came out differently from the correct service
	ClassTrouble  = "trouble"       // the trial could not be carried out
)

// MatrixColumn is one scenario of a matrix.
type MatrixColumn struct {
	Scenario string   `json:"scenario"`
	Control  Summary  `json:"control"` // trials of the correct reference
	Named    int      `json:"named"`   // mutants that name it
	Kills    []string `json:"kills"`   // mutants that fail on it in every trial, by whatever check
}

// fate of a row. A mutant that was never tried is no kill, whatever the row claims.
func (r MatrixRow) fate() string {
	switch {
	case r.Trials == 0:
		return "NOT TRIED"
	case !r.Killed || r.Kills == 0:
		return "SURVIVED"
	case r.Kills < r.Trials:
		return "killed at times"
	case r.Check != "" && !slices.Contains(r.By, r.Check):
		return "killed by others"
	}
	return "killed"
}

// dead tells whether the row counts as a kill.
func (r MatrixRow) dead() bool { return r.Trials > 0 && r.Killed && r.Kills > 0 }

// Survivors are the rows without a kill: mutants that the checks did not see, or that were never tried.
func (m *Matrix) Survivors() []MatrixRow {
	var alive []MatrixRow
	for _, r := range m.Rows {
		if !r.dead() {
			alive = append(alive, r)
		}
	}
	return alive
}

// trusted tells whether a kill means anything: not where the correct reference is accused too.
func (m *Matrix) trusted() bool { return m.Control == Pass }

// verdict is the headline of a matrix: a word and a sentence.
func (m *Matrix) verdict() (word, sentence string) {
	alive := len(m.Survivors())
	kills, trials := 0, 0
	for _, r := range m.Rows {
		kills += min(r.Kills, r.Trials)
		trials += r.Trials
	}
	sentence = fmt.Sprintf("%d of %s killed, in %d of %s", len(m.Rows)-alive, count(len(m.Rows), "mutant"), kills, count(trials, "trial"))
	if low, high := wilson(kills, trials); trials > 0 {
		sentence += fmt.Sprintf(" (95 %% interval %.1f to %.1f %%)", 100*low, 100*high)
	}
	if n := len(m.Skipped); n > 0 {
		sentence += fmt.Sprintf("; %s not tried here", count(n, "mutant"))
	}
	switch {
	case m.Error != "":
		return "ENVIRONMENT ERROR", sentence + "; " + m.Error
	case !m.trusted() && m.Control == "":
		return "NO CONTROL", sentence + "; the correct reference was not run, so no kill is proof"
	case !m.trusted():
		return "CONTROL FAILED", sentence + fmt.Sprintf("; the correct reference ended %s, so no kill is proof", m.Control)
	case len(m.Rows) == 0:
		return "EMPTY", "no mutant was tried, so nothing is shown"
	case alive > 0:
		return fmt.Sprintf("%d SURVIVED", alive), sentence
	}
	return "ALL KILLED", sentence
}

// falseAlarms says how often the correct reference was accused.
func (m *Matrix) falseAlarms() string {
	s := m.ControlTrials
	n := s.Pass + s.Fail + s.Inconclusive
	if n == 0 {
		return ""
	}
	low, high := wilson(s.Fail, n)
	return fmt.Sprintf("the correct reference was accused in %d of %s (95 %% interval %.1f to %.1f %%)", s.Fail, count(n, "trial"), 100*low, 100*high)
}

// idle are the scenarios that kill nothing, where all mutants were tried on all: they earn nothing.
func (m *Matrix) idle() []string {
	var out []string
	for _, c := range m.Columns {
		if m.Everywhere && len(c.Kills) == 0 {
			out = append(out, c.Scenario)
		}
	}
	return out
}

// wilson is the 95 % score interval of a share, honest also at 0 and at 1.
func wilson(hits, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, size := float64(hits)/float64(n), float64(n)
	middle := p + z*z/(2*size)
	reach := z * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	scale := 1 + z*z/size
	return max((middle-reach)/scale, 0), min((middle+reach)/scale, 1)
}

// MatrixJSON writes the matrix indented, with a newline at its end.
func MatrixJSON(w io.Writer, m *Matrix) error {
	c := *m
	c.Rows = slices.Clone(orEmpty(c.Rows))
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Rate.Low, r.Rate.High = wilson(min(r.Kills, r.Trials), r.Trials)
	}
	c.Columns = slices.Clone(c.Columns)
	for i := range c.Columns {
		c.Columns[i].Kills = orEmpty(c.Columns[i].Kills)
	}
	return writeJSON(w, c)
}
