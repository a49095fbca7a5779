package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"onedebit/reports"
	"onedebit/scenarios"
	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// A recording is made slowly, so that no timer of the service is near; where it was disturbed all the same it is made
// again, each time at half the speed.
const (
	recordSpeed = 10
	recordTries = 3
)

// Subject is what is recorded: a flow of the target, or of a mutant in its place.
type Subject struct {
	Flow   *Flow
	Mutant string
}

// Take records subjects; the options are those of the run that is to follow. The records are in the order of the
// subjects, with nil where no clean recording was to be had; the error says why, and wraps stack.ErrNotUp.
func Take(ctx context.Context, o scenarios.Options, subjects []Subject) ([]*Record, error) {
	out, failed := make([]*Record, len(subjects)), make([]error, len(subjects))
	o.Out, o.Whole, o.Speed, o.Wanted, o.Budget, o.Matrix = "", true, min(o.Speed, recordSpeed), nil, 0, false
	for try := range recordTries {
		if err := take(ctx, o, subjects, try+1, out, failed); err != nil {
			return nil, err
		}
		if err := errors.Join(failed...); err == nil || ctx.Err() != nil {
			return out, errors.Join(err, ctx.Err())
		}
		o.Speed /= 2
	}
	return out, fmt.Errorf("%w: %w", stack.ErrNotUp, errors.Join(failed...))
}

// take makes one try at the recordings that are still to be had.
func take(ctx context.Context, o scenarios.Options, subjects []Subject, try int, out []*Record, failed []error) error {
	type key struct{ scenario, mutant string }
	var mu sync.Mutex
	seen := map[key]*history.History{}
	o.Jobs = nil
	o.Told = func(j scenarios.Job, h *history.History) {
		mu.Lock()
		defer mu.Unlock()
		seen[key{j.Scenario.Name, j.Mutant}] = h
	}
	for i, s := range subjects {
		if out[i] != nil {
			continue
		}
		recording, err := scenarios.Load("recording.yaml", []byte(s.Flow.recording()))
		if err != nil {
			return fmt.Errorf("writing the recording of %s: %w", s.Flow.Name, err)
		}
		o.Jobs = append(o.Jobs, scenarios.Job{Scenario: recording, Trial: try, Mutant: s.Mutant})
	}
	doc, err := scenarios.Run(ctx, o)
	if err != nil {
		return err
	}
	results := map[key]*reports.Scenario{}
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		results[key{s.Name, s.Mutant}] = s
	}
	for i, s := range subjects {
		if k := (key{s.Flow.recordingName(), s.Mutant}); out[i] == nil {
			out[i], failed[i] = read(results[k], seen[k], s.Flow, &o)
		}
	}
	return nil
}

// read reads a recording, unless something went wrong with it.
func read(r *reports.Scenario, h *history.History, f *Flow, o *scenarios.Options) (*Record, error) {
	switch {
	case r == nil:
		return nil, fmt.Errorf("recording %s: it was not begun", f.Name)
	case r.Verdict != reports.Pass:
		return nil, fmt.Errorf("recording %s, without any fault: %s: %s", f.Name, r.Verdict, r.Reason)
	}
	return Read(h, f, o.Target)
}

// Jobs are the experiments of a plan, each against one mutant or, where it is empty, the target itself.
func (p *Plan) Jobs(mutant string) (out []scenarios.Job) {
	for _, e := range p.Experiments {
		out = append(out, scenarios.Job{Scenario: e.Scenario, Trial: 1, Mutant: mutant})
	}
	return out
}

// Report is the plan for a result.
func (p *Plan) Report() *reports.Sweep {
	r := p.Record
	out := &reports.Sweep{Of: r.Flow.Name, Doc: r.Flow.Doc, Sequence: r.Sequence}
	for _, point := range r.Points {
		from, to := point.Ends()
		out.Points = append(out.Points, reports.SweepPoint{
			Link: point.Link, From: from, To: to, Dir: point.Dir, Name: point.Name, Nth: point.Nth, Label: point.Label,
		})
	}
	for _, k := range Kinds() {
		out.Kinds = append(out.Kinds, reports.SweepKind{Name: k.Name, Doc: k.Doc})
	}
	for _, e := range p.Experiments {
		cell := reports.SweepCell{Scenario: e.Scenario.Name, Fresh: e.Fresh}
		for _, at := range e.At {
			cell.At = append(cell.At, reports.SweepPlace{Point: at.Point, Kind: at.Kind})
		}
		out.Cells = append(out.Cells, cell)
	}
	for _, u := range p.Unfit {
		out.Unfit = append(out.Unfit, reports.SweepUnfit{Place: reports.SweepPlace{Point: u.Point, Kind: u.Kind}, Why: u.Why})
	}
	for _, l := range r.Left {
		out.Left = append(out.Left, reports.SweepLeft{Link: l.Link, Label: l.Label, Times: l.Times, Why: l.Why})
	}
	return out
}
