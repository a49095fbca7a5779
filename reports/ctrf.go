package reports

import (
	"cmp"
	"io"
	"strconv"
)

// CTRF is the Common Test Report Format, a sibling of JUnit in JSON. What could not be judged, and what the environment
// ended, is "other" there: neither failed nor passed.
var CTRF = register(Format{
	Name:   "ctrf",
	File:   "ctrf.json",
	Doc:    "test results as a Common Test Report, for tools that read it",
	Render: renderCTRF,
})

// ctrfVersion is the version of the specification that is written.
const ctrfVersion = "1.0.0"

type (
	ctrfReport struct {
		Format    string      `json:"reportFormat"`
		Version   string      `json:"specVersion"`
		Timestamp string      `json:"timestamp,omitempty"`
		By        string      `json:"generatedBy"`
		Results   ctrfResults `json:"results"`
	}
	ctrfResults struct {
		Tool        ctrfTool          `json:"tool"`
		Summary     ctrfSummary       `json:"summary"`
		Tests       []ctrfTest        `json:"tests"`
		Environment ctrfEnvironment   `json:"environment"`
		Extra       map[string]string `json:"extra,omitempty"`
	}
	ctrfTool struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	ctrfSummary struct {
		Tests    int   `json:"tests"`
		Passed   int   `json:"passed"`
		Failed   int   `json:"failed"`
		Pending  int   `json:"pending"`
		Skipped  int   `json:"skipped"`
		Other    int   `json:"other"`
		Start    int64 `json:"start"`
		Stop     int64 `json:"stop"`
		Duration int64 `json:"duration"`
	}
	ctrfTest struct {
		Name     string            `json:"name"`
		Status   string            `json:"status"`
		Duration int64             `json:"duration"`
		Suite    []string          `json:"suite"`
		Message  string            `json:"message,omitempty"`
		Trace    string            `json:"trace,omitempty"`
		Raw      string            `json:"rawStatus"`
		Tags     []string          `json:"tags,omitempty"`
		Type     string            `json:"type"`
		Extra    map[string]string `json:"extra,omitempty"`
	}
	ctrfEnvironment struct {
		App  string `json:"appName,omitempty"`
		Test string `json:"testEnvironment,omitempty"`
	}
)

func renderCTRF(w io.Writer, doc *Document) error {
	out := ctrfReport{Format: "CTRF", Version: ctrfVersion, By: "onedebit"}
	start := int64(0)
	if !doc.Started.IsZero() {
		start = max(doc.Started.UnixMilli(), 0)
		out.Timestamp = doc.Started.UTC().Format("2006-01-02T15:04:05Z")
	}
	duration := max(doc.DurationMS, 0)
	r := &out.Results
	r.Tool = ctrfTool{cmp.Or(doc.Tool.Name, "onedebit"), xmlText(doc.Tool.Version, 400)}
	r.Summary = ctrfSummary{Start: start, Stop: start + duration, Duration: duration}
	r.Environment = ctrfEnvironment{xmlText(doc.Target, 400), xmlText(doc.Runtime, 400)}
	r.Extra = map[string]string{"seed": strconv.FormatUint(doc.Seed, 10), "verdict": string(doc.Verdict), "headline": xmlText(headword(doc), 400),
		"money": xmlText(moneyLine(doc.Money), 2000)}
	if doc.Error != "" {
		r.Extra["error"] = xmlText(doc.Error, 2000)
	}
	r.Tests = []ctrfTest{}
	names := naming{}
	room := maxTexts / max(len(doc.Scenarios), 1)
	for _, g := range groups(doc) {
		for _, s := range g.trials {
			t := ctrfOf(doc, s, min(room, maxText))
			t.Name = cmp.Or(names.of(s, doc.Repeat > 1 || len(g.trials) > 1), "–")
			r.Tests = append(r.Tests, t)
			r.Summary.count(t.Status)
		}
	}
	return writeJSON(w, out)
}

func (s *ctrfSummary) count(status string) {
	s.Tests++
	switch status {
	case "passed":
		s.Passed++
	case "failed":
		s.Failed++
	case "skipped":
		s.Skipped++
	default:
		s.Other++
	}
}

func ctrfOf(doc *Document, s *Scenario, room int) ctrfTest {
	t := ctrfTest{Duration: max(s.DurationMS, 0), Suite: []string{cmp.Or(xmlText(family(s), 200), "other")}, Raw: string(s.Verdict), Type: "fault-injection"}
	switch {
	case doc.knows(s):
		t.Status, t.Message = "skipped", xmlText(doc.asKnown(s), 1000)
	case s.Verdict == Fail:
		t.Status, t.Message, t.Trace = "failed", xmlText(contradictions(s)[0], 1000), xmlText(failureText(doc, s), room)
		for _, c := range broken(s) {
			t.Tags = append(t.Tags, xmlText(c.Name, 200))
		}
	case s.Error != "":
		t.Status, t.Message, t.Trace = "other", xmlText(s.Error, 1000), xmlText(errorText(doc, s), room)
	case s.Verdict == Pass:
		t.Status = "passed"
	case s.Verdict == Skipped:
		t.Status, t.Message = "skipped", xmlText(why(s), 1000)
	default:
		t.Status, t.Message = "other", "inconclusive: "+xmlText(why(s), 1000)
	}
	if s.Reproduce != "" {
		t.Extra = map[string]string{"reproduce": xmlText(s.Reproduce, 4000)}
	}
	return t
}
