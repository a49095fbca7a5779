package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/vbauerster/mpb/v8"

	"onedebit/reports"
	"onedebit/scenarios"
)

func jobs(n int) (out []scenarios.Job) {
	for i := range n {
		s := &scenarios.Scenario{Family: "submit", Name: fmt.Sprintf("scenario-%03d", i)}
		out = append(out, scenarios.Job{Scenario: s, Trial: 1})
	}
	return out
}

// drive carries jobs through a progress from many goroutines, as a run does. Every tenth job fails, every seventh of the
// others is skipped.
func drive(p progress, list []scenarios.Job) {
	var wait sync.WaitGroup
	for i, job := range list {
		wait.Go(func() {
			p.Begin(job)
			p.Phase(job, "drive")
			p.End(job, &reports.Scenario{Verdict: verdictOf(i), DurationMS: int64(i), Reason: "because\nof it"})
		})
	}
	wait.Wait()
	p.close()
}

func verdictOf(i int) reports.Verdict {
	switch {
	case i%10 == 0:
		return reports.Fail
	case i%7 == 0:
		return reports.Skipped
	}
	return reports.Pass
}

func TestLinesHaveOneForEachThatEnded(t *testing.T) {
	var b bytes.Buffer
	drive(&lines{w: &b, total: 100}, jobs(100))
	got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	assert.Len(t, got, 100)
	for i, line := range got {
		assert.True(t, strings.HasPrefix(line, fmt.Sprintf("[%d/100] ", i+1)), line)
	}
	assert.Equal(t, 10, strings.Count(b.String(), "✗ fail"))
	assert.Equal(t, 13, strings.Count(b.String(), "– skipped"))
	assert.Contains(t, b.String(), "✗ fail         submit/scenario-010  10 ms  because of it\n")
}

func TestLineIsHarmlessWhateverTheReason(t *testing.T) {
	line := ended(jobs(1)[0], &reports.Scenario{Verdict: reports.Inconclusive, Reason: "a\x1b[2J\r\n\tb\u202e c\x00"})
	assert.Equal(t, "? inconclusive submit/scenario-000  0 ms  a�[2J b� c�", line)
}

func TestQuietSaysNothing(t *testing.T) {
	var b bytes.Buffer
	p := &process{Stderr: &b}
	drive(p.progress(&runFlags{quiet: true}, "title", 100), jobs(100))
	assert.Empty(t, b.String())
}

func TestElsewhereThanOnATerminalThereAreLines(t *testing.T) {
	var b bytes.Buffer
	p := &process{Stderr: &b}
	drive(p.progress(&runFlags{}, "title", 1), jobs(1))
	assert.Equal(t, "title\n[1/1] ✗ fail         submit/scenario-000  0 ms  because of it\n", b.String())
}

// barsTo draws bars into a buffer whenever refresh is told to, as on a terminal.
func barsTo(b *bytes.Buffer, total int, color bool) (*bars, func()) {
	refresh := make(chan any)
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	bars := newBars(b, "title", total, color, now, mpb.WithManualRefresh(refresh))
	return bars, func() { refresh <- struct{}{} }
}

func TestBarsCountAHundred(t *testing.T) {
	var b bytes.Buffer
	bars, refresh := barsTo(&b, 100, false)
	list := jobs(100)
	bars.Begin(list[0])
	bars.Phase(list[0], "settle")
	refresh()
	drive(bars, list)
	assert.Contains(t, b.String(), "  submit/scenario-000                        settle")
	assert.Contains(t, b.String(), "100/100")
	assert.Contains(t, b.String(), "✓ 77  ✗ 10  ? 0  – 13")
	assert.Equal(t, 10, strings.Count(b.String(), "✗ fail "), "failures stay on the screen above the bars")
	assert.NotContains(t, b.String(), "\x1b[31m")
}

func TestBarsBearWhatComesOutOfTurn(t *testing.T) {
	var b bytes.Buffer
	bars, refresh := barsTo(&b, 5, true)
	list := jobs(5)
	bars.Phase(list[0], "drive") // of one that never began
	bars.End(list[0], &reports.Scenario{Verdict: reports.Fail, Reason: "no beginning"})
	bars.End(list[0], &reports.Scenario{Verdict: reports.Inconclusive, Reason: "twice"})
	bars.Begin(list[1])
	bars.Begin(list[1]) // and one that begins twice and never ends, as where a run is interrupted
	refresh()
	bars.close()
	assert.Contains(t, b.String(), "\x1b[31m✗ fail         submit/scenario-000  0 ms  no beginning\x1b[0m")
	assert.Contains(t, b.String(), "\x1b[33m? inconclusive submit/scenario-000  0 ms  twice\x1b[0m")
	assert.Contains(t, b.String(), "2/5")
}

func TestBarsTellHowLongItStillTakes(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := &bars{total: 46, began: at, now: func() time.Time { return at.Add(67 * time.Second) }}
	assert.Equal(t, "1:07", b.clock(0))
	assert.Equal(t, "1:07 ~0:32", b.clock(31))
	assert.Equal(t, "1:07", b.clock(46))
}
