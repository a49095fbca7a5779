package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"onedebit/reports"
	"onedebit/scenarios/decode"
	"onedebit/scenarios/history"
)

// JudgeSaved judges saved histories and returns the result as the run that made them would have, one experiment for each.
// A folder stands for the histories in it. Where the histories are of several runs, the head of the result tells of the
// first. An error is about a file that is no history; it names the file and the line.
func JudgeSaved(paths []string, tool reports.Tool, command string, now func() time.Time) (*reports.Document, error) {
	files, err := historyFiles(paths)
	if err != nil {
		return nil, err
	}
	began := now()
	doc := &reports.Document{Version: reports.Version, Tool: tool, Command: command, Started: began.UTC().Truncate(time.Second), Scenarios: []reports.Scenario{}}
	for i, file := range files {
		h, err := history.Load(file)
		if err != nil {
			return nil, err
		}
		plan := h.Plan()
		if i == 0 {
			doc.Seed, doc.Speed, doc.Runtime, doc.Target, doc.Mutant = plan.Seed, plan.Speed, plan.Runtime, plan.Target.Name, plan.Target.Mutant
		} else if doc.Mutant != plan.Target.Mutant {
			doc.Mutant = ""
		}
		r := reports.Scenario{
			Name: plan.Scenario, Family: plan.Family, Title: plan.Title, Mutant: plan.Target.Mutant, Trial: max(1, plan.Trial),
			Faults: []reports.Fault{}, Checks: []reports.Check{}, History: file, Reproduce: plan.Reproduce,
		}
		if n := len(h.Events); n > 0 {
			r.DurationMS = h.Events[n-1].At.Milliseconds()
		}
		Judge(&r, h)
		doc.Repeat = max(doc.Repeat, r.Trial)
		doc.Money.Add(moved(h))
		doc.Clean += clean(h)
		doc.Scenarios = append(doc.Scenarios, r)
	}
	doc.Summary, doc.Verdict = reports.Summarise(doc.Scenarios)
	doc.DurationMS = now().Sub(began).Milliseconds()
	return doc, nil
}

// historyFiles are the files that are named, with the histories of a folder in its place, each once.
func historyFiles(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("opening history %s: %w", path, decode.Reason(err))
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.jsonl")); err != nil || len(files) == 0 {
				return nil, fmt.Errorf("no history (*.jsonl) is in the folder %s", path)
			}
		} else if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", path)
		}
		for _, f := range files {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}
