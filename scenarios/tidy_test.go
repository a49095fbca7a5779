package scenarios_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bounds of what a reader is asked to hold in mind.
const (
	maxFileLines     = 500
	maxFunctionLines = 70
)

// topLevel is everything in the root that is not a dot-file and not made by a build or a run.
var topLevel = []string{"Makefile", "README.md", "cmd", "fakebank", "go.mod", "go.sum", "reference", "reports", "scenarios"}

// source is one Go file of the repository.
type source struct {
	path  string // from the root, with slashes
	pkg   string // its folder
	test  bool   // part of tests only
	lines int
	fset  *token.FileSet
	*ast.File
}

func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// root is the folder of go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, up, dir, "no go.mod above the test")
		dir = up
	}
}

// ignored are the folders of the root that hold what was built or run.
func ignored(t *testing.T, root string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			out = append(out, strings.Trim(name, "/"))
		}
	}
	return out
}

// eachFile visits the files of the repository that people have written.
func eachFile(t *testing.T, visit func(name string, data []byte)) {
	t.Helper()
	dir := root(t)
	made := ignored(t, dir)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(p, dir), string(filepath.Separator)))
		switch {
		case name == "":
			return nil
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || slices.Contains(made, name)):
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		data, err := os.ReadFile(p)
		if os.IsNotExist(err) {
			return nil // an editor's, gone again
		}
		if err == nil {
			visit(name, data)
		}
		return err
	})
	require.NoError(t, err)
}

// sources are all Go files of the repository, parsed.
func sources(t *testing.T) []*source {
	t.Helper()
	var out []*source
	eachFile(t, func(name string, data []byte) {
		if path.Ext(name) != ".go" {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, data, parser.ParseComments)
		require.NoError(t, err)
		pkg := path.Dir(name)
		out = append(out, &source{
			path: name, pkg: pkg, fset: fset, File: file, lines: strings.Count(string(data), "\n"),
			test: strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Base(pkg), "test"),
		})
	})
	require.Greater(t, len(out), 100, "the walk has not seen the repository")
	return out
}

func TestTopLevel(t *testing.T) {
	dir := root(t)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	allowed := append(ignored(t, dir), topLevel...)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			assert.Contains(t, allowed, e.Name(), "the root holds nothing but what topLevel names")
		}
	}
}

var (
	vagueName = regexp.MustCompile(`(?i)(^|[^a-z])(utils?|helpers?|managers?|commons?|misc)([^a-z]|$)`)
	unfinish  = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)
	elsewhere = regexp.MustCompile(`(^|[\s"'=(:])/(home|root|work|Users|tmp)/[a-z]`)
	registry  = regexp.MustCompile(`\b(proxy\.golang\.org|goproxy\.[a-z]+|docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.[a-z-]+\.[a-z]+|mirrors?\.[a-z-]+\.[a-z]+)\b`)
)

func TestSizesAndNames(t *testing.T) {
	for _, s := range sources(t) {
		assert.LessOrEqual(t, s.lines, maxFileLines, "%s is too long to be read at one sitting", s.path)
		assert.NotRegexp(t, vagueName, strings.TrimSuffix(path.Base(s.path), ".go"), "%s: a name that says nothing", s.path)
		assert.NotRegexp(t, vagueName, s.Name.Name, "%s: a package name that says nothing", s.path)
		for _, d := range s.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || s.test {
				continue
			}
			n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			assert.LessOrEqual(t, n, maxFunctionLines, "%s: %s does not fit a screen", s.at(f), f.Name.Name)
		}
		for _, group := range s.Comments {
			assert.NotRegexp(t, unfinish, group.Text(), s.at(group))
		}
	}
}

func TestNothingUnfinishedOrElsewhere(t *testing.T) {
	eachFile(t, func(name string, data []byte) {
		switch path.Ext(name) {
		case ".yaml", ".yml", ".md", ".txtar", "":
			assert.NotRegexp(t, unfinish, string(data), name)
		case ".go":
			if strings.HasSuffix(name, "_test.go") {
				return // tests may quote what a hostile service says
			}
		default:
			return
		}
		assert.NotRegexp(t, elsewhere, string(data), "%s names a path of one machine", name)
		assert.NotRegexp(t, registry, string(data), "%s names a registry; which one is used is for the machine to say", name)
	})
}

// pure are packages in which time and chance are never asked for: the same history, file or document gives the same result.
var pure = []string{"reports", "scenarios/checks", "scenarios/decode"}

func TestNoHiddenInputs(t *testing.T) {
	clock := []string{"time.Now", "time.Since", "time.Until", "time.After", "time.Sleep", "time.NewTimer", "time.NewTicker"}
	for _, s := range sources(t) {
		ast.Inspect(s.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				assert.False(t, n.Name.Name == "init" && n.Recv == nil, "%s: an init function", s.at(n))
			case *ast.SelectorExpr:
				called := fmt.Sprint(n.X) + "." + n.Sel.Name
				if called == "os.Exit" && !s.test {
					assert.Equal(t, "cmd/onedebit/main.go", s.path, "%s: only main exits", s.at(n))
				}
				if slices.Contains(pure, s.pkg) && !s.test {
					assert.NotContains(t, clock, called, s.at(n))
				}
			}
			return true
		})
		for _, name := range imported(s) {
			if slices.Contains(pure, s.pkg) && !s.test {
				assert.NotContains(t, []string{"math/rand", "math/rand/v2", "crypto/rand"}, name, s.path)
			}
		}
	}
}
