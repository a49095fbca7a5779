package reports

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormatsAreSortedAndTheCallersOwn(t *testing.T) {
	list := Formats()
	var files []string
	for _, f := range list {
		files = append(files, f.Name+"="+f.File)
	}
	assert.Equal(t, []string{"ctrf=ctrf.json", "html=report.html", "json=result.json", "junit=junit.xml", "md=report.md"}, files)
	list[0].Name = "changed"
	assert.Equal(t, "ctrf", Formats()[0].Name)
}

func TestNamed(t *testing.T) {
	f, err := Named("md")
	require.NoError(t, err)
	assert.Equal(t, "report.md", f.File)
	_, err = Named("pdf")
	require.EqualError(t, err, `unknown report format "pdf": use one of ctrf, html, json, junit, md`)
}

func TestRegisterRefuses(t *testing.T) {
	none := func(io.Writer, *Document) error { return nil }
	for name, f := range map[string]Format{
		"no name":     {File: "x", Doc: "x", Render: none},
		"no file":     {Name: "x", Doc: "x", Render: none},
		"no doc":      {Name: "x", File: "x", Render: none},
		"no renderer": {Name: "x", File: "x", Doc: "x"},
		"same name":   {Name: "md", File: "x", Doc: "x", Render: none},
		"same file":   {Name: "x", File: "report.md", Doc: "x", Render: none},
	} {
		assert.Panics(t, func() { register(f) }, name)
	}
	assert.Len(t, Formats(), 5)
}

func TestSaveWritesAllAndLeavesNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	doc := cases()[1].doc
	require.NoError(t, Save(dir, doc, Formats()))
	require.NoError(t, Save(dir, doc, Formats()), "over what is there")
	assert.Equal(t, []string{"ctrf.json", "junit.xml", "report.html", "report.md", "result.json"}, names(t, dir))
	back, err := Load(filepath.Join(dir, "result.json"))
	require.NoError(t, err)
	assert.Equal(t, doc.Seed, back.Seed)
	assert.Equal(t, render(t, Markdown, doc), render(t, Markdown, back))
	info, err := os.Stat(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestSaveKeepsTheFormerFileWhereOneFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half.txt"), []byte("former"), 0o600))
	half := Format{Name: "half", File: "half.txt", Render: func(w io.Writer, _ *Document) error {
		_, _ = io.WriteString(w, "half of it")
		return io.ErrUnexpectedEOF
	}}
	err := Save(dir, base(), []Format{half, JSON})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "render half report")
	former, err := os.ReadFile(filepath.Join(dir, "half.txt"))
	require.NoError(t, err)
	assert.Equal(t, "former", string(former))
	assert.Equal(t, []string{"half.txt", "result.json"}, names(t, dir), "the others are written, nothing temporary stays")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "report.md"), 0o755))
	require.ErrorContains(t, Save(dir, base(), []Format{Markdown}), "write md report")
	assert.Equal(t, []string{"half.txt", "report.md", "result.json"}, names(t, dir))

	require.ErrorContains(t, Save(filepath.Join(dir, "half.txt"), base(), Formats()), "--out")
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	good := render(t, JSON, cases()[1].doc)
	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {" \n", "the file is empty"},
		"no json":            {"{\n  \"version\": x}", "line 2 column 14: not valid json"},
		"half":               {good[:len(good)/2], "not valid json"},
		"more after the end": {good + "{}", "not valid json"},
		"an array":           {"[]", "not a onedebit result: array where an object is due"},
		"no version":         {"{}", "it has no version"},
		"newer":              {change(`"version": 1`, `"version": 2`), "version 2 of result.json is newer than this onedebit, which reads up to 1"},
		"wrong kind":         {change(`"seed": 8841723`, `"seed": "x"`), "field seed holds string where uint64 is due"},
		"unknown verdict":    {change(`"verdict": "fail"`, `"verdict": "failed"`), `verdict "failed" is none of`},
		"too good":           {change(`"verdict": "fail"`, `"verdict": "pass"`), "verdict pass, but the scenarios say fail"},
		"other counts":       {change(`"fail": 1`, `"fail": 0`), "the summary counts 1 pass, 0 fail"},
		"unknown in trial":   {change("\"trial\": 1,\n      \"verdict\": \"pass\"", "\"trial\": 1,\n      \"verdict\": \"ok\""), `scenarios[0] "fifty-at-once": verdict "ok"`},
		"check against":      {change("\"invariant\": \"I1\",\n          \"verdict\": \"pass\"", "\"invariant\": \"I1\",\n          \"verdict\": \"fail\""), `its check "one-debit" says fail`},
		"nameless":           {change(`"name": "fifty-at-once"`, `"name": ""`), "scenarios[0]: no name"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "result.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := Load(path)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, path)
		})
	}
	_, err := Load(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Read(strings.NewReader(change(`"seed"`, `"added_later": [1], "seed"`)))
	require.NoError(t, err, "a field of a later onedebit")
}

func TestSummarise(t *testing.T) {
	of := func(vs ...Verdict) (list []Scenario) {
		for _, v := range vs {
			list = append(list, Scenario{Verdict: v})
		}
		return list
	}
	for _, c := range []struct {
		in   []Scenario
		sum  Summary
		want Verdict
	}{
		{nil, Summary{}, Inconclusive},
		{of(Pass), Summary{Pass: 1}, Pass},
		{of(Pass, Skipped), Summary{Pass: 1, Skipped: 1}, Pass},
		{of(Skipped), Summary{Skipped: 1}, Skipped},
		{of(Pass, Inconclusive, Skipped), Summary{Pass: 1, Inconclusive: 1, Skipped: 1}, Inconclusive},
		{of(Pass, Inconclusive, Fail), Summary{Pass: 1, Inconclusive: 1, Fail: 1}, Fail},
		{of(Pass, "odd"), Summary{Pass: 1, Inconclusive: 1}, Inconclusive},
	} {
		sum, v := Summarise(c.in)
		assert.Equal(t, c.sum, sum)
		assert.Equal(t, c.want, v, "%v", c.in)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range cases() {
		f.Add(render(f, JSON, c.doc))
	}
	f.Add(`{"version":1,"verdict":"inconclusive","scenarios":null}`)
	f.Add(`{"version":1e9}`)
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := Read(strings.NewReader(s))
		if err != nil {
			assert.Nil(t, doc)
			return
		}
		for _, format := range Formats() {
			require.NoError(t, format.Render(io.Discard, doc), format.Name)
		}
		_, err = Read(strings.NewReader(render(t, JSON, doc)))
		require.NoError(t, err, "what was read can be written and read again")
		sound(t, render(t, Markdown, doc))
	})
}
