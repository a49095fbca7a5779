package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"onedebit/reports"
)

// loadResult reads the result of a run from its file or its folder.
func loadResult(path string) (*reports.Document, error) {
	doc, err := reports.Load(resultFile(path))
	if err != nil {
		return nil, usage{err}
	}
	return doc, nil
}

// resultFile is the file of a result that may be named by its folder.
func resultFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, reports.JSON.File)
	}
	return path
}

// matrixFile is the file of the kill matrix that a path stands for; ok is false where it stands for the result of a run.
func matrixFile(path string) (file string, ok bool) {
	if filepath.Base(path) == reports.MatrixFile {
		return path, true
	}
	file = filepath.Join(path, reports.MatrixFile)
	_, err := os.Stat(file)
	_, errRun := os.Stat(filepath.Join(path, reports.JSON.File))
	return file, err == nil && errRun != nil
}

// keepHistories puts the histories of a result beside its copy in another folder, where they are still there.
func keepHistories(doc *reports.Document, from, to string) error {
	if filepath.Clean(from) == filepath.Clean(to) {
		return nil
	}
	for i := range doc.Scenarios {
		s := &doc.Scenarios[i]
		name := filepath.FromSlash(s.History)
		if s.History == "" || !filepath.IsLocal(name) {
			continue
		}
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("copying history %s to %s: %w", s.History, to, err)
		}
	}
	return nil
}

// copyFile copies a file, without its bytes where the file system can; whole, or not at all.
func copyFile(from, to string) (err error) {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	tmp := to + ".part"
	_ = os.Remove(tmp)
	if os.Link(from, tmp) == nil {
		return os.Rename(tmp, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, to)
}

func addBaseline(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "baseline", "", "result.json of an earlier run: its failures are known, and only new ones fail; which are fixed is told")
}

// baselineOf is the earlier result whose failures are known, or nil where none was named.
func baselineOf(file string) (*reports.Document, error) {
	if file == "" {
		return nil, nil
	}
	return loadResult(file)
}

// known tells whether all failures of a trial are in an earlier result; nil where there is none.
func known(before *reports.Document) func(*reports.Scenario) bool {
	if before == nil {
		return nil
	}
	return func(s *reports.Scenario) bool {
		doc := &reports.Document{Scenarios: []reports.Scenario{*s}}
		reports.Against(doc, before, "")
		return doc.OnlyKnown()
	}
}

// eachOnce refuses a path that is named twice.
func eachOnce(paths []string) error {
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(o string) bool { return filepath.Clean(o) == filepath.Clean(path) }) {
			return usage{fmt.Errorf("%s is named twice", path)}
		}
	}
	return nil
}
