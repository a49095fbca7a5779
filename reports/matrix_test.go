package reports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func matrix(control Verdict, rows ...MatrixRow) *Matrix {
	return &Matrix{Version: Version, Tool: base().Tool, Seed: 7, Speed: 20, Runtime: "embedded", DurationMS: 90_000, Control: control, Rows: rows}
}

var (
	killed   = MatrixRow{Mutant: "trade-no-per-try", Doc: "a new trade number for each try", Scenario: "bank-answer-lost", Check: "one-debit", Reason: "debits of", Killed: true, By: []string{"one-debit", "debits-accounted"}, Trials: 20, Kills: 20}
	atTimes  = MatrixRow{Mutant: "no-unique-index", Scenario: "fifty-at-once", Check: "one-success-row", Killed: true, By: []string{"one-success-row"}, Trials: 20, Kills: 13}
	byOthers = MatrixRow{Mutant: "float-money", Scenario: "odd-amounts", Check: "integer-money", Killed: true, By: []string{"ledger-agrees"}, Trials: 1, Kills: 1}
	survivor = MatrixRow{Mutant: "late-fail-wins", Doc: "a late FAIL overwrites SUCCESS", Scenario: "success-then-fail", Check: "success-is-final", Trials: 20}
	untried  = MatrixRow{Mutant: "no-queue", Scenario: "replay", Check: "effects-once", Killed: true, By: []string{"effects-once"}, Note: "the runtime has no queue"}
	hostileM = MatrixRow{Mutant: evil, Doc: evil, Scenario: evil, Check: evil, By: []string{evil, "a|b"}, Note: evil, Trials: 1}
)

func TestMatrix(t *testing.T) {
	for _, c := range []struct {
		name   string
		matrix *Matrix
		word   string
		words  []string
		loud   int // survivors
	}{
		{"killed", matrix(Pass, killed), "ALL KILLED", []string{"1 of 1 mutant killed", "20 of 20 trials", "83.9 to 100.0 %"}, 0},
		{"all", matrix(Pass, killed, atTimes, byOthers, survivor, untried), "2 SURVIVED",
			[]string{"3 of 5 mutants killed", "killed at times", "killed by others", "SURVIVED", "NOT TRIED", "13/20"}, 2},
		{"control", matrix(Fail, killed), "CONTROL FAILED", []string{"no kill is proof", "ended fail"}, 0},
		{"none", matrix(Pass), "EMPTY", []string{"nothing is shown"}, 0},
		{"no-control", matrix("", killed), "NO CONTROL", []string{"was not run"}, 0},
		{"skipped", &Matrix{Version: Version, Tool: base().Tool, Runtime: "embedded", Speed: 20, Control: Pass, Rows: []MatrixRow{killed}, Skipped: []string{"bank-call-in-tx on db-commit-refused: no link db"}},
			"ALL KILLED", []string{"1 mutant not tried", "no link db"}, 0},
		{"everywhere", &Matrix{Version: Version, Tool: base().Tool, Runtime: "embedded", Speed: 20, Control: Pass, ControlTrials: Summary{Pass: 40}, Everywhere: true,
			Rows: []MatrixRow{{Mutant: "trade-no-per-try", Scenario: "bank-answer-lost", Check: "one-debit", Killed: true, By: []string{"one-debit"}, Trials: 20, Kills: 20,
				Says: "the bank holds 2 debits", Elsewhere: []string{"gateway-gives-up (one-debit)"}},
				{Mutant: "late-fail-wins", Scenario: "success-then-fail", Check: "success-is-final", Trials: 20, Class: ClassCheck + ": rows or ledger differ"}},
			Columns: []MatrixColumn{{Scenario: "bank-answer-lost", Control: Summary{Pass: 20}, Named: 1, Kills: []string{"trade-no-per-try"}}, {Scenario: "bank-latency", Control: Summary{Pass: 20}}}},
			"1 SURVIVED", []string{"accused in 0 of 40 trials", "bank-latency", "weak check: rows or ledger differ"}, 1},
		{"hostile", matrix(Pass, hostileM), "1 SURVIVED", nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var md, text, colour, js bytes.Buffer
			require.NoError(t, MatrixMarkdown(&md, c.matrix))
			require.NoError(t, MatrixText(&text, c.matrix, 80, false))
			require.NoError(t, MatrixText(&colour, c.matrix, 80, true))
			require.NoError(t, MatrixJSON(&js, c.matrix))
			golden(t, "matrix-"+c.name+".md", md.String())
			golden(t, "matrix-"+c.name+".txt", text.String())
			sound(t, md.String())
			assert.Contains(t, firstLine(md.String()), "**"+c.word+"**")
			assert.Contains(t, text.String(), c.word)
			joined := strings.Join(strings.Fields(text.String()), " ")
			for _, w := range c.words {
				assert.Contains(t, md.String(), w)
				assert.Contains(t, joined, w)
			}
			assert.Len(t, c.matrix.Survivors(), c.loud)
			assert.Equal(t, c.loud > 0, strings.Contains(md.String(), "## ⚠ Survivors"))
			assert.Equal(t, 2*c.loud, strings.Count(text.String(), "✗"), "in its row and at the end")
			assert.Contains(t, colour.String(), "\x1b[3")
			for line := range strings.Lines(text.String()) {
				assert.LessOrEqual(t, (&runewidth.Condition{}).StringWidth(strings.TrimSuffix(line, "\n")), 80)
			}
			var back Matrix
			require.NoError(t, json.Unmarshal(js.Bytes(), &back))
			assert.Equal(t, c.matrix.Control, back.Control)
			assert.Len(t, back.Rows, len(c.matrix.Rows))
			assert.NotContains(t, js.String(), "null")
		})
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{0, 0, 0, 1}, {20, 20, 0.839, 1}, {0, 20, 0, 0.161}, {1280, 1280, 0.997, 1}, {10, 20, 0.299, 0.701}} {
		low, high := wilson(c.hits, c.n)
		assert.InDelta(t, c.low, low, 0.001)
		assert.InDelta(t, c.high, high, 0.001)
	}
}

func TestSaveMatrix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, SaveMatrix(dir, matrix(Pass, killed)))
	md, err := os.ReadFile(filepath.Join(dir, "mutants.md"))
	require.NoError(t, err)
	assert.Contains(t, string(md), "ALL KILLED")
	data, err := os.ReadFile(filepath.Join(dir, "mutants.json"))
	require.NoError(t, err)
	var back Matrix
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, Pass, back.Control)

	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	require.ErrorContains(t, SaveMatrix(blocked, matrix(Pass, killed)), "choose another with --out")
}
