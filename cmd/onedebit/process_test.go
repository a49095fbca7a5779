package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onedebit/reports"
)

// console is what a command said, and its exit code.
type console struct {
	code           int
	stdout, stderr string
}

// inProcess is onedebit inside this test, with folders of its own. The roles of its stacks are run by the test binary.
func inProcess(t *testing.T) *process {
	t.Helper()
	self, err := exec.LookPath("onedebit")
	require.NoError(t, err)
	return &process{
		Stdin: bytes.NewReader(nil), Env: os.Environ(), Temp: t.TempDir(), Now: time.Now, Self: []string{self, "serve"},
	}
}

// do runs a command line in this test.
func (p *process) do(t *testing.T, args ...string) console {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p.Args, p.Stdout, p.Stderr = args, &stdout, &stderr
	code := p.main(context.Background())
	return console{code, stdout.String(), stderr.String()}
}

// scenarioFile writes a scenario file of the name that it is given.
func scenarioFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".yaml")
	require.NoError(t, os.WriteFile(path, []byte("name: "+name+"\n"+text), 0o644))
	return path
}

// result reads the result of a run.
func result(t *testing.T, out string) *reports.Document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, reports.JSON.File))
	require.NoError(t, err)
	var doc reports.Document
	require.NoError(t, json.Unmarshal(data, &doc))
	return &doc
}

// text reads a file.
func text(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(data)
}
