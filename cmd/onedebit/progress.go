package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"onedebit/reports"
	"onedebit/scenarios"
)

// What a run says while it runs goes to stderr only: one bar for the run and one line for each experiment under way on a
// terminal, one line for each that has ended elsewhere. Signs stand beside colours, never alone.

// progress is a scenarios.Progress that can be closed.
type progress interface {
	scenarios.Progress
	close()
}

func (p *process) progress(f *runFlags, title string, total int) progress {
	_, terminal, color := p.screen(p.Stderr)
	switch {
	case f.quiet:
		return quietProgress{}
	case terminal && !f.plain:
		return newBars(p.Stderr, title, total, color, p.Now)
	}
	fmt.Fprintln(p.Stderr, title)
	return &lines{w: p.Stderr, total: total}
}

type quietProgress struct{}

func (quietProgress) Begin(scenarios.Job)                  {}
func (quietProgress) Phase(scenarios.Job, string)          {}
func (quietProgress) End(scenarios.Job, *reports.Scenario) {}
func (quietProgress) close()                               {}

var signs = map[reports.Verdict]string{reports.Pass: "✓", reports.Fail: "✗", reports.Inconclusive: "?", reports.Skipped: "–"}

// ended is the line that an experiment ends with.
func ended(job scenarios.Job, r *reports.Scenario) string {
	line := fmt.Sprintf("%s %-12s %s  %d ms", signs[r.Verdict], r.Verdict, job, r.DurationMS)
	if r.Reason != "" {
		line += "  " + oneLine(r.Reason)
	}
	if job.Trial > 1 && (r.Verdict == reports.Fail || r.Verdict == reports.Inconclusive) {
		line += "  again: " + r.Reproduce // the end of the run tells one trial of each scenario
	}
	return line
}

// oneLine makes a text that may come from the service safe to print: one line, nothing that moves the cursor.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)), " ")
}

// lines writes one plain line for each experiment that has ended.
type lines struct {
	w     io.Writer
	total int

	mu   sync.Mutex
	done int
}

func (l *lines) Begin(scenarios.Job)         {}
func (l *lines) Phase(scenarios.Job, string) {}
func (l *lines) close()                      {}

func (l *lines) End(job scenarios.Job, r *reports.Scenario) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	fmt.Fprintf(l.w, "[%d/%d] %s\n", l.done, l.total, ended(job, r))
}

// bars are the progress bars of a terminal.
type bars struct {
	mpb   *mpb.Progress
	run   *mpb.Bar
	color bool
	total int
	now   func() time.Time
	began time.Time

	mu     sync.Mutex
	counts reports.Summary
	lines  map[scenarios.Job]*line
}

// line is the line of one experiment under way.
type line struct {
	bar *mpb.Bar

	mu   sync.Mutex
	what string
}

const (
	nameWidth = 42
	barWidth  = 74
)

func newBars(w io.Writer, title string, total int, color bool, now func() time.Time, more ...mpb.ContainerOption) *bars {
	options := append([]mpb.ContainerOption{mpb.WithOutput(w), mpb.WithWidth(barWidth)}, more...)
	b := &bars{mpb: mpb.New(options...), color: color, total: total, now: now, began: now(), lines: map[scenarios.Job]*line{}}
	fmt.Fprintln(w, title)
	b.run = b.mpb.New(int64(total), mpb.BarStyle(), mpb.BarPriority(-1),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.tally() })),
	)
	return b
}

func (b *bars) tally() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.counts
	return fmt.Sprintf(" %s  ✓ %d  ✗ %d  ? %d  – %d", b.clock(c.Total()), c.Pass, c.Fail, c.Inconclusive, c.Skipped)
}

// clock is how long the run takes so far, and about how long it still will by what has ended.
func (b *bars) clock(done int) string {
	gone := b.now().Sub(b.began)
	if done == 0 || done >= b.total {
		return minutes(gone)
	}
	return minutes(gone) + " ~" + minutes(gone/time.Duration(done)*time.Duration(b.total-done))
}

func minutes(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func (b *bars) Begin(job scenarios.Job) {
	l := &line{what: "begin"}
	l.bar = b.mpb.New(0, mpb.NopStyle(), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(
		decor.Any(func(decor.Statistics) string {
			l.mu.Lock()
			defer l.mu.Unlock()
			return fmt.Sprintf("  %-*s %s", nameWidth, job.String(), l.what)
		}),
	))
	b.mu.Lock()
	before := b.lines[job]
	b.lines[job] = l
	b.mu.Unlock()
	if before != nil {
		before.bar.Abort(true) // or the end would wait for it for ever
	}
}

func (b *bars) Phase(job scenarios.Job, what string) {
	b.mu.Lock()
	l := b.lines[job]
	b.mu.Unlock()
	if l != nil {
		l.mu.Lock()
		l.what = what
		l.mu.Unlock()
	}
}

func (b *bars) End(job scenarios.Job, r *reports.Scenario) {
	b.mu.Lock()
	l := b.lines[job]
	delete(b.lines, job)
	b.counts.Count(r.Verdict)
	b.mu.Unlock()
	if l != nil {
		l.bar.Abort(true)
	}
	if r.Verdict == reports.Fail || r.Verdict == reports.Inconclusive {
		text := ended(job, r)
		if b.color {
			text = map[reports.Verdict]string{reports.Fail: "\x1b[31m", reports.Inconclusive: "\x1b[33m"}[r.Verdict] + text + "\x1b[0m"
		}
		_, _ = fmt.Fprintln(b.mpb, text)
	}
	b.run.Increment()
}

func (b *bars) close() {
	b.mu.Lock()
	left := slices.Collect(maps.Values(b.lines))
	b.mu.Unlock() // drawing takes the lock too
	for _, l := range left {
		l.bar.Abort(true)
	}
	b.run.Abort(true) // an interrupted run never fills its bar
	b.mpb.Wait()
}
