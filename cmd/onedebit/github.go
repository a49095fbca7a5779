package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"onedebit/reports"
)

// toGitHub tells GitHub what came out, where this runs as a step of one of its jobs: the report for people in the summary of the
// job, behind what is there already, and the gravest failures as annotations.
func (p *process) toGitHub(f *runFlags, doc *reports.Document) error {
	if p.env("GITHUB_ACTIONS") != "true" {
		return nil
	}
	return errors.Join(heard(reports.Annotations(p.Stdout, doc)), stepSummary(p.env("GITHUB_STEP_SUMMARY"), f.lang, doc))
}

func stepSummary(path, lang string, doc *reports.Document) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the step summary of GitHub: %w", err)
	}
	already, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		err = reports.StepSummary(file, doc, lang, already)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing the step summary of GitHub: %w", err)
	}
	return nil
}
