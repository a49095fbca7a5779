package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MatrixFile is the name of the file that holds a whole kill matrix.
const MatrixFile = "mutants.json"

// LoadMatrix reads a mutants.json of at most 256 MiB. It refuses a file that is no kill matrix or of a newer version.
func LoadMatrix(path string) (*Matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open kill matrix: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxResult))
	if err != nil {
		return nil, fmt.Errorf("read kill matrix %s: %w", path, err)
	}
	var m Matrix
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read kill matrix %s: %w", path, explain(data, err))
	}
	if m.Version < 1 || m.Version > Version {
		return nil, fmt.Errorf("read kill matrix %s: version %d, and this onedebit reads 1 to %d", path, m.Version, Version)
	}
	return &m, nil
}

// SaveMatrix writes a kill matrix to mutants.json, mutants.md and mutants.html in a folder, each whole or not at all.
func SaveMatrix(dir string, m *Matrix) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create report directory: %w; choose another with --out", err)
	}
	var failed []error
	for file, render := range map[string]func(io.Writer, *Matrix) error{MatrixFile: MatrixJSON, "mutants.md": MatrixMarkdown} {
		var b bytes.Buffer
		err := render(&b, m)
		if err == nil {
			err = replace(filepath.Join(dir, file), b.Bytes())
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("write %s: %w", file, err))
		}
	}
	return errors.Join(failed...)
}
