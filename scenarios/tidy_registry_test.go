package scenarios_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kinds is the least number of kinds in each folder that holds one kind a file; a folder of which fewer are seen has
// escaped the rules.
var kinds = map[string]int{
	"fakebank": 8, "reference/mutants": 16, "reports": 3, "scenarios/checks": 11, "scenarios/faults": 17,
	"scenarios/stack": 1, "scenarios/stack/wire": 4, "scenarios/sweep": 8, "scenarios/workload": 16,
}

// otherName are the kinds whose file has a name of its own.
var otherName = map[string]string{
	"reports md":                 "markdown.go", // the format's name is the file's ending
	"scenarios/stack/wire redis": "resp.go",     // the protocol has a name, the product is what people know
	"scenarios/workload fault":   "inject.go",   // what the step does; the package faults has fault.go
}

// otherTest are the kinds that are tested together, by one table for all of them.
var otherTest = map[string]string{
	"reports/json.go":             "golden_test.go",
	"reports/junit.go":            "golden_test.go",
	"scenarios/stack/embedded.go": "../run_test.go", // a whole experiment
	"scenarios/stack/wire/raw.go": "wire_test.go",
}

// kind is one call of register in a declaration.
type kind struct {
	source *source
	node   ast.Node
	fields map[string]string // those that are literal strings
}

// registered finds the kinds of a file, and insists that each is registered by its own exported or unexported variable.
func registered(s *source) []kind {
	var out []kind
	for _, d := range s.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			for _, v := range spec.(*ast.ValueSpec).Values {
				if k, ok := kindOf(s, v); ok {
					out = append(out, k)
				}
			}
		}
	}
	return out
}

func kindOf(s *source, v ast.Expr) (kind, bool) {
	call, ok := v.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return kind{}, false
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "register" {
		return kind{}, false
	}
	k := kind{source: s, node: v, fields: map[string]string{}}
	literal, ok := call.Args[0].(*ast.CompositeLit)
	if !ok {
		return k, true
	}
	for _, e := range literal.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		k.fields[pair.Key.(*ast.Ident).Name] = text(pair.Value)
	}
	return k, true
}

// text is what a literal string, or several joined by +, says.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return ""
}

func TestEveryKindIsOneFileAndItsTest(t *testing.T) {
	files := map[string]bool{}
	all := sources(t)
	for _, s := range all {
		files[s.path] = true
	}
	seen := map[string]int{}
	for _, s := range all {
		if s.test {
			continue
		}
		found := registered(s)
		if len(found) == 0 {
			continue
		}
		require.Contains(t, kinds, s.pkg, "%s registers kinds: enter its folder into the table", s.path)
		seen[s.pkg] += len(found)
		assert.Len(t, found, 1, "%s: one kind, one file", s.path)
		for _, k := range found {
			checkKind(t, k, files)
		}
	}
	for pkg, least := range kinds {
		assert.GreaterOrEqual(t, seen[pkg], least, "kinds of %s", pkg)
	}
}

func checkKind(t *testing.T, k kind, files map[string]bool) {
	t.Helper()
	s := k.source
	name := k.fields["Name"]
	if !assert.NotEmpty(t, name, "%s: a kind without a literal name", s.at(k.node)) {
		return
	}
	want := strings.ReplaceAll(name, "-", "_") + ".go"
	if other, ok := otherName[s.pkg+" "+name]; ok {
		want = other
	}
	assert.Equal(t, want, path.Base(s.path), "%s: file and kind %s must have one name", s.at(k.node), name)
	assert.NotEmpty(t, strings.TrimSpace(k.fields["Doc"]+k.fields["Title"]), "%s: a kind that nobody explains", s.at(k.node))
	test := strings.TrimSuffix(path.Base(s.path), ".go") + "_test.go"
	if other, ok := otherTest[s.path]; ok {
		test = other
	}
	if !files[path.Join(s.pkg, test)] {
		t.Errorf("%s: kind %s has no %s", s.at(k.node), name, test)
	}
}

// register is called nowhere but in declarations: what a package offers can be read from its files.
func TestRegisterIsCalledInDeclarationsOnly(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		declared := registered(s)
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "register" {
				assert.True(t, slices.ContainsFunc(declared, func(k kind) bool { return k.node == n }), "%s: register in mid-code", s.at(n))
			}
			return true
		})
	}
}
