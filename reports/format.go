package reports

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Format is one way to write a document down.
type Format struct {
	Name string // what --format takes
	File string // name of the file in the output directory
	Doc  string // one sentence for lists
	// Render writes the whole document. It does not change the document and keeps nothing of it.
	Render func(io.Writer, *Document) error
}

var registry = map[string]Format{}

// register adds a format; it panics where a field is missing, or a name or file is taken.
func register(f Format) Format {
	if f.Name == "" || f.File == "" || f.Doc == "" || f.Render == nil {
		panic(fmt.Sprintf("reports: format %q lacks a name, a file, a doc or a renderer", f.Name))
	}
	for _, g := range registry {
		if g.Name == f.Name || g.File == f.File {
			panic(fmt.Sprintf("reports: format %q (%s) is registered twice", f.Name, f.File))
		}
	}
	registry[f.Name] = f
	return f
}

// Formats lists all formats, sorted by name. The slice is the caller's.
func Formats() []Format {
	all := make([]Format, 0, len(registry))
	for _, f := range registry {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Format) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Named is the format of that name; the error of an unknown one lists those that exist.
func Named(name string) (Format, error) {
	if f, ok := registry[name]; ok {
		return f, nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown report format %q: use one of %s", name, strings.Join(names, ", "))
}

// Save writes the document into dir, one file per format, and creates dir where it is missing. Each file appears whole
// or not at all: a reader never sees half of one, and a former file stays where the new one cannot be written.
// A format that fails does not keep the others from being written; the error joins all failures.
func Save(dir string, doc *Document, formats []Format) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create report directory: %w; choose another with --out", err)
	}
	var failed []error
	for _, f := range formats {
		var b bytes.Buffer
		if err := f.Render(&b, doc); err != nil {
			failed = append(failed, fmt.Errorf("render %s report: %w", f.Name, err))
			continue
		}
		if err := replace(filepath.Join(dir, f.File), b.Bytes()); err != nil {
			failed = append(failed, fmt.Errorf("write %s report: %w; is %s writable and is there space?", f.Name, err, dir))
		}
	}
	return errors.Join(failed...)
}

// replace puts data at path in one step, by renaming a finished file over it.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".onedebit-"+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644) // CreateTemp's 0600 would hide the report from the CI step that collects it
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
