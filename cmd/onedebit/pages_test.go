package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios"
)

var update = flag.Bool("update", false, "write the generated pages anew")

// The folders that the pages are in, from this one.
const (
	repository = "../.."
	engine     = "../../scenarios"
	services   = "../../scenarios/targets"
)

// The command reference is what cobra and the registries say.
func TestCommandReferenceIsFresh(t *testing.T) {
	fresh(t, "README.md", commandReference())
}

// fresh demands that a file has this text, and writes it where that is asked for.
func fresh(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "the page is stale: go test ./cmd/onedebit -run Fresh -update writes it anew")
}

// freshParts demands that the parts of a page between markers are what is generated: <!-- generated: NAME --> and
// <!-- end of NAME -->. The rest of the page is written by hand.
func freshParts(t *testing.T, file string, parts map[string]string) {
	t.Helper()
	page := text(t, file)
	for name, part := range parts {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, found := strings.Cut(page, begin)
		require.True(t, found, "%s has no %s", file, begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, "%s has no %s", file, end)
		page = before + begin + "\n" + part + "\n" + end + after
	}
	fresh(t, file, page)
}

func commandReference() string {
	var b bytes.Buffer
	root := (&process{}).root()
	fmt.Fprintf(&b, "# onedebit: command reference\n\n%s\n", generatedBy)
	fmt.Fprintf(&b, "\n%s\n\nstdout carries the result, stderr the progress.\n", root.Long)
	describe(&b, root)
	for _, kind := range registryNames() {
		fmt.Fprintf(&b, "\n## %s\n\n`onedebit list %s`\n\n| name | what it is | |\n|---|---|---|\n", strings.ToUpper(kind[:1])+kind[1:], kind)
		for _, e := range registries[kind]() {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.name, cell(e.doc), codeCell(e.example))
		}
	}
	return b.String()
}

const generatedBy = "<!-- generated: go test ./cmd/onedebit -run Fresh -update -->"

// describe writes one chapter for each command that people type, deepest last.
func describe(b *bytes.Buffer, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), cmp.Or(c.Long, c.Short), c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindent(c.Example))
		}
		flags := ""
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { flags += flagRow(f) })
		if flags != "" {
			fmt.Fprintf(b, "\n| flag | default | |\n|---|---|---|\n%s", flags)
		}
		describe(b, c)
	}
}

func flagRow(f *pflag.Flag) string {
	kind, doc := pflag.UnquoteUsage(f)
	name := strings.TrimSpace("--" + f.Name + " " + kind)
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value := strings.Trim(f.DefValue, "[]")
	if value == "0" || value == "false" {
		value = "" // not given; the text says what then
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, codeCell(value), cell(doc))
}

// cell makes a text fit for one cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func codeCell(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func unindent(s string) string { return strings.ReplaceAll(strings.TrimPrefix(s, "  "), "\n  ", "\n") }

var (
	fence = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	form  = regexp.MustCompile(`\b[A-Z]{4,}\b|\[|·`) // of a usage line or a title, in place of a command
	spans = regexp.MustCompile("`(onedebit [^`\n]+)`")
)

// commandsIn are the command lines that a page shows, in its text and in its examples.
func commandsIn(page string) (out []string) {
	for _, block := range fence.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "bin/")
			if strings.HasPrefix(line, "onedebit ") && !form.MatchString(line) {
				out = append(out, line)
			}
		}
	}
	for _, m := range spans.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		out = append(out, m[1])
	}
	return out
}

// Every command line that a page shows is one that onedebit takes.
func TestCommandsOfThePagesExist(t *testing.T) {
	for _, file := range []string{"README.md", repository + "/README.md", engine + "/README.md", services + "/README.md"} {
		for _, line := range commandsIn(text(t, file)) {
			t.Run(filepath.Base(filepath.Dir(file))+"/"+line, func(t *testing.T) { assert.NoError(t, takes(line)) })
		}
	}
}

// takes says whether a command line is well formed and names what there is. Files are not looked for.
func takes(line string) error {
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, " >")
	cmd, rest, err := (&process{}).root().Find(strings.Fields(line)[1:])
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	var names []string
	for _, arg := range cmd.Flags().Args() {
		if !strings.HasSuffix(arg, ".yaml") {
			names = append(names, arg)
		}
	}
	if f := cmd.Flags().Lookup("mutant"); f != nil && f.Changed {
		if _, err := mutant(f.Value.String()); err != nil {
			return err
		}
	}
	switch cmd.CommandPath() {
	case "onedebit run", "onedebit scenarios show", "onedebit scenarios list":
		_, err = scenarios.Find(names)
	case "onedebit mutants":
		_, _, err = chosenMutants(names, nil, false)
	case "onedebit list":
		if registries[names[0]] == nil {
			err = fmt.Errorf("no kind %s", names[0])
		}
	default:
		if err = cmd.ValidateArgs(cmd.Flags().Args()); err == nil && !cmd.Runnable() {
			err = fmt.Errorf("%s is no command", line)
		}
	}
	return err
}

func TestTakesRefusesWhatDoesNotExist(t *testing.T) {
	for _, line := range []string{
		"onedebit rnu", "onedebit run nosuch", "onedebit run --nosuch", "onedebit run --mutant nosuch", "onedebit mutants nosuch",
		"onedebit list nosuch", "onedebit scenarios nosuch", "onedebit clean now",
	} {
		assert.Error(t, takes(line), line)
	}
	assert.NoError(t, takes("onedebit run my-own.yaml --seed 42 # a comment"))
}
