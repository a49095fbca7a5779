package draft

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Bounds of what is looked at: a folder may hold anything.
const (
	mostFiles = 3000
	mostBytes = 512 << 10 // of one file
)

// sources are the files of a folder that are worth a look, by path, shallow ones first.
type sources struct {
	folder fs.FS
	names  []string
}

var elsewhere = []string{"node_modules", "vendor", "venv", "dist", "build", "target", "__pycache__", "testdata", "onedebit-out"}

func gather(folder fs.FS) *sources {
	s := &sources{folder: folder}
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil, len(s.names) > mostFiles:
			return fs.SkipDir
		case entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || slices.Contains(elsewhere, base)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			s.names = append(s.names, name)
		}
		return nil
	})
	slices.SortStableFunc(s.names, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return s
}

// text is a file's text, or "" where it cannot be had.
func (s *sources) text(name string) string {
	info, err := fs.Stat(s.folder, name)
	if err != nil || info.Size() > mostBytes {
		return ""
	}
	data, err := fs.ReadFile(s.folder, name)
	if err != nil {
		return ""
	}
	return string(data)
}

// first is the shallowest file of one of the names, with its text.
func (s *sources) first(wanted ...string) (name, text string) {
	for _, w := range wanted {
		for _, name := range s.names {
			if ok, _ := path.Match(w, path.Base(name)); ok {
				if text := s.text(name); text != "" {
					return name, text
				}
			}
		}
	}
	return "", ""
}

// with are the files that end in one of these.
func (s *sources) with(ends ...string) (out []string) {
	for _, name := range s.names {
		if slices.Contains(ends, path.Ext(name)) && !strings.Contains(path.Base(name), "test") {
			out = append(out, name)
		}
	}
	return out
}

var codeFiles = []string{".py", ".js", ".ts", ".mjs", ".cjs", ".go", ".rb", ".php", ".java", ".kt", ".cs", ".rs", ".ex"}
