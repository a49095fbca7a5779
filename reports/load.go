package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxResult bounds a result.json that is read back, in bytes.
const maxResult = 256 << 20

// Load reads a result.json. It refuses what it cannot vouch for, and says what: a file that is no result, one of a newer
// version, an unknown verdict, counts or a verdict that its scenarios contradict. Unknown fields are ignored, since a
// field may be added without a new version. Errors about the file itself wrap those of package os.
func Load(path string) (*Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open result: %w; name the result.json of a run", err)
	}
	defer func() { _ = f.Close() }()
	doc, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("read result %s: %w", path, err)
	}
	return doc, nil
}

// Read is Load for a stream of at most 256 MiB.
func Read(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxResult+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxResult {
		return nil, fmt.Errorf("larger than %d MiB: split the run with --shard", maxResult>>20)
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, explain(data, err)
	}
	switch {
	case head.Version == nil || *head.Version < 1:
		return nil, errors.New("not a onedebit result: it has no version")
	case *head.Version > Version:
		return nil, fmt.Errorf("version %d of result.json is newer than this onedebit, which reads up to %d: use a newer onedebit",
			*head.Version, Version)
	}
	var doc Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, explain(data, err)
	}
	if err := vouch(&doc); err != nil {
		return nil, err
	}
	return &doc, nil
}

// explain adds line and column, and the field where it is known, to an error of encoding/json.
func explain(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("the file is empty: was the run that wrote it killed?")
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: not valid json: %w", place(data, syntax.Offset), err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("not a onedebit result: %s where an object is due", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: field %s holds %s where %s is due", place(data, kind.Offset), kind.Field, kind.Value, kind.Type)
	}
	return err
}

func place(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d column %d", line, len(before)-bytes.LastIndexByte(before, '\n')-1)
}

// vouch finds what a renderer would otherwise repeat as truth.
func vouch(doc *Document) error {
	if rank[doc.Verdict] == 0 {
		return fmt.Errorf("verdict %q is none of pass, skipped, inconclusive, fail", doc.Verdict)
	}
	for i, s := range doc.Scenarios {
		at := fmt.Sprintf("scenarios[%d] %q", i, s.Name)
		if s.Name == "" {
			return fmt.Errorf("scenarios[%d]: no name", i)
		}
		if rank[s.Verdict] == 0 {
			return fmt.Errorf("%s: verdict %q is none of pass, skipped, inconclusive, fail", at, s.Verdict)
		}
		for j, c := range s.Checks {
			if rank[c.Verdict] == 0 {
				return fmt.Errorf("%s: checks[%d] %q: verdict %q is none of pass, skipped, inconclusive, fail", at, j, c.Name, c.Verdict)
			}
			if rank[c.Verdict] > rank[Skipped] && rank[c.Verdict] > rank[s.Verdict] {
				return fmt.Errorf("%s: verdict %s, but its check %q says %s", at, s.Verdict, c.Name, c.Verdict)
			}
		}
	}
	if doc.Sweep != nil {
		if err := doc.Sweep.vouch(); err != nil {
			return err
		}
	}
	sum, worst := Summarise(doc.Scenarios)
	if sum != doc.Summary {
		return fmt.Errorf("the summary counts %s, the scenarios %s", doc.Summary, sum)
	}
	// A run may be worse than its scenarios (it was interrupted, a comparison failed), never better.
	if rank[worst] > rank[doc.Verdict] && worst != Pass {
		return fmt.Errorf("verdict %s, but the scenarios say %s", doc.Verdict, worst)
	}
	return nil
}

// Summarise counts trials by verdict and gives the verdict of the run. The worst wins, except that a skipped scenario
// does not spoil a run in which others passed; a run without any scenario has no evidence and is Inconclusive.
func Summarise(scenarios []Scenario) (Summary, Verdict) {
	var s Summary
	for _, c := range scenarios {
		switch c.Verdict {
		case Pass:
			s.Pass++
		case Skipped:
			s.Skipped++
		case Fail:
			s.Fail++
		default:
			s.Inconclusive++
		}
	}
	switch {
	case s.Fail > 0:
		return s, Fail
	case s.Inconclusive > 0 || s == Summary{}:
		return s, Inconclusive
	case s.Pass > 0:
		return s, Pass
	}
	return s, Skipped
}

// String is "41 pass, 2 fail, 1 inconclusive, 2 skipped".
func (s Summary) String() string {
	return fmt.Sprintf("%d pass, %d fail, %d inconclusive, %d skipped", s.Pass, s.Fail, s.Inconclusive, s.Skipped)
}

// Total is the number of trials counted.
func (s Summary) Total() int { return s.Pass + s.Fail + s.Inconclusive + s.Skipped }
