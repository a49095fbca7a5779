package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

var tool = reports.Tool{Name: "onedebit", Version: "test"}

// A saved history is enough: verdict, findings and evidence come out as in the run that made it.
func TestASavedHistoryIsJudgedAsItsRun(t *testing.T) {
	o := rig(t, known(t, "bank-answer-lost"), written(t, onePayment), written(t, neverFires))
	o.Jobs[0].Mutant = "trade-no-per-try"
	doc := carry(t, t.Context(), o)
	again, err := JudgeSaved([]string{filepath.Join(o.Out, "history")}, tool, "judge", time.Now)
	require.NoError(t, err)
	require.Len(t, again.Scenarios, 3)
	assert.Equal(t, doc.Verdict, again.Verdict)
	assert.Equal(t, doc.Summary, again.Summary)
	assert.Equal(t, doc.Money, again.Money)
	assert.Equal(t, doc.Clean, again.Clean)
	assert.Equal(t, doc.Seed, again.Seed)
	for _, r := range doc.Scenarios {
		same, err := JudgeSaved([]string{filepath.Join(o.Out, r.History)}, tool, "judge", time.Now)
		require.NoError(t, err)
		got := same.Scenarios[0]
		got.History, got.DurationMS, got.UpMS = r.History, r.DurationMS, r.UpMS
		assert.Equal(t, r, got, r.Name)
	}
}

// Trouble of the experiment is in its history too: it stays inconclusive, and the environment's.
func TestTroubleIsJudgedAgain(t *testing.T) {
	for what, c := range map[string]struct {
		gap         string
		environment bool
	}{"trouble": {history.GapTrouble, false}, "environment": {history.GapEnvironment, true}, "interrupted": {history.GapInterrupted, false}} {
		t.Run(what, func(t *testing.T) {
			b := tell().payment("A", "CNY", 500).bank(history.LedgerDebit, "A", "T1", "CNY", 500)
			b.add(history.Event{Gap: &history.Gap{What: c.gap, Why: "no port"}})
			path := filepath.Join(t.TempDir(), "x.jsonl")
			require.NoError(t, b.rest(row("A", history.StateSuccess, "T1", 500)).Save(path))
			doc, err := JudgeSaved([]string{path}, tool, "judge", time.Now)
			require.NoError(t, err)
			r := doc.Scenarios[0]
			assert.Equal(t, reports.Inconclusive, r.Verdict)
			assert.Equal(t, c.environment, r.Environment)
			assert.Equal(t, r.Error, r.Reason)
		})
	}
}

func TestJudgeSavedNamesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.jsonl")
	require.NoError(t, os.WriteFile(bad, []byte("{}\n"), 0o600))
	for path, want := range map[string]string{
		bad: "bad.jsonl: line 1", filepath.Join(dir, "none"): "opening history", t.TempDir(): "no history (*.jsonl)", "/dev/zero": "not a regular file",
	} {
		_, err := JudgeSaved([]string{path}, tool, "judge", time.Now)
		assert.ErrorContains(t, err, want)
	}
}

// BenchmarkJudgeSaved judges a history of a million events that is on disk.
func BenchmarkJudgeSaved(b *testing.B) {
	path := filepath.Join(b.TempDir(), "large.jsonl")
	require.NoError(b, manyPayments(1_000_000).Save(path))
	b.ResetTimer()
	for range b.N {
		doc, err := JudgeSaved([]string{path}, tool, "judge", time.Now)
		require.NoError(b, err)
		require.Equal(b, reports.Pass, doc.Scenarios[0].Verdict, doc.Scenarios[0].Reason)
	}
}

// manyPayments is a history of so many events: good payments one after the other, with all that is seen of one.
func manyPayments(events int) *history.History {
	b := tell()
	var rows []history.Row
	for i := 0; len(b.events) < events-10; i++ {
		order, trade := fmt.Sprintf("O-%d", i), fmt.Sprintf("T-%d", i)
		b.payment(order, "CNY", 500)
		for range 3 {
			b.add(history.Event{Message: &history.Message{Link: "bank", Dir: history.Request, Name: "debit", Order: order, Text: "POST /v1/debits " + trade, Fate: history.Passed}})
			b.add(history.Event{Log: &history.LogLine{Process: "service", Order: order, Step: "bank.call", Status: "START", Text: "a line of the log"}})
		}
		b.bank(history.LedgerDebit, order, trade, "CNY", 500)
		b.pay(order, 500, 200)
		rows = append(rows, row(order, history.StateSuccess, trade, 500))
		if i%50 == 49 {
			b.add(history.Event{Reading: &history.Reading{Rows: rows[i-49:]}})
		}
	}
	return b.rest(rows...)
}
