package reports

import (
	"bytes"
	"encoding/xml"
	"flag"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

func render(t testing.TB, f Format, doc *Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.Render(&b, doc))
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update once")
	assert.Equal(t, string(want), got)
}

func TestMarkdown(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, Markdown, c.doc)
			golden(t, c.name+".md", got)
			assert.Contains(t, firstLine(got), "**"+c.head+"**")
			for _, w := range c.words {
				assert.Contains(t, got, w)
			}
			for _, w := range c.absent {
				assert.NotContains(t, withoutCode(got), w)
			}
			assert.NotContains(t, got, "\x1b")
			sound(t, got)
			for _, s := range c.doc.Scenarios {
				if len(s.Name) < 40 {
					assert.Contains(t, got, s.Name, "a scenario is missing")
				}
			}
			assert.Equal(t, got, render(t, Markdown, c.doc), "rendering twice")
		})
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// sound holds what makes a page of markdown whole: text, even tables, headings unique, links that lead to one.
func sound(t *testing.T, page string) {
	t.Helper()
	assert.True(t, utf8.ValidString(page))
	assert.Less(t, len(page), 1024<<10)
	columns, anchors := 0, map[string]bool{}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "|") {
			columns = 0
		} else {
			if columns == 0 {
				columns = cells(line)
			}
			assert.Equal(t, columns, cells(line), "cells of %q", line)
		}
		if strings.HasPrefix(line, "#") {
			a := anchor(strings.TrimLeft(line, "# "))
			assert.False(t, anchors[a], "two headings are %q", a)
			anchors[a] = true
		}
	}
	for _, link := range regexp.MustCompile(`[^\\]\]\((.*?)\)`).FindAllStringSubmatch(withoutCode(page), -1) {
		assert.True(t, strings.HasPrefix(link[1], "#") && anchors[link[1][1:]], "link to %q leads nowhere", link[1])
	}
	marks := strings.Count(page, timesBegin)
	assert.Equal(t, marks, strings.Count(page, strings.TrimSuffix(timesEnd, "\n")), "what begins ends")
	ours := strings.NewReplacer(timesBegin, "", strings.TrimSuffix(timesEnd, "\n"), "")
	assert.Empty(t, regexp.MustCompile(`<[a-zA-Z/!?].{0,40}`).FindString(withoutCode(ours.Replace(page))), "HTML")
}

// cells counts as the strictest renderer does: any pipe that has no backslash right before it parts two cells.
func cells(row string) int {
	return len(regexp.MustCompile(`(?:^|[^\\])\|`).FindAllString(row, -1)) - 1
}

// spans finds code spans and escapes; what is escaped opens no span.
var spans = regexp.MustCompile("\\\\[`\\\\]|`+")

// withoutCode is the page without its code spans and code blocks.
func withoutCode(page string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if text == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(text, "```") && strings.HasSuffix(text, "`text"):
			fence = strings.TrimSuffix(text, "text")
			continue
		}
		for {
			at := spans.FindStringIndex(line)
			if at == nil {
				break
			}
			mark, rest := line[at[0]:at[1]], line[at[1]:]
			end := -1
			if mark[0] == '`' {
				end = closing(rest, len(mark))
			}
			if end < 0 {
				b.WriteString(line[:at[1]])
				line = rest
				continue
			}
			b.WriteString(line[:at[0]])
			line = rest[end:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// closing is the end of the run of exactly n backticks that closes a span.
func closing(s string, n int) int {
	for _, at := range regexp.MustCompile("`+").FindAllStringIndex(s, -1) {
		if at[1]-at[0] == n {
			return at[1]
		}
	}
	return -1
}

var (
	unescape = regexp.MustCompile(`\\([[:punct:]])`)
	dropped  = regexp.MustCompile(`[^\p{L}\p{M}\p{Nd}\p{Pc}\- ]`)
)

// anchor is GitHub's rule, applied to the source of a heading. Escapes and fences are punctuation and go with the rest.
func anchor(heading string) string {
	plain := html.UnescapeString(unescape.ReplaceAllString(heading, "$1"))
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(plain), ""), " ", "-")
}

func TestJUnit(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, JUnit, c.doc)
			golden(t, c.name+".xml", got)
			var all xmlSuites
			require.NoError(t, xml.Unmarshal([]byte(got), &all))
			assert.Equal(t, []int{c.tests, c.failures, c.errors, c.skipped}, []int{all.Tests, all.Failures, all.Errors, all.Skipped}, "tests, failures, errors, skipped")
			assert.Equal(t, c.tests, strings.Count(got, "<testcase "))
			assert.Equal(t, c.failures, strings.Count(got, "<failure "))
			assert.Equal(t, c.errors, strings.Count(got, "<error "))
			assert.Equal(t, c.skipped, strings.Count(got, "<skipped "))
			sum, names := 0, map[string]bool{}
			for _, s := range all.Suites {
				sum += s.Tests
				assert.Len(t, s.Cases, s.Tests)
				assert.Equal(t, xmlProperty{"seed", "8841723"}, s.Properties[0])
				for _, k := range s.Cases {
					assert.False(t, names[k.Class+k.Name], "%s is there twice", k.Name)
					names[k.Class+k.Name] = true
					assert.True(t, strings.HasPrefix(k.Class, "onedebit."))
					if k.Failure != nil {
						assert.Contains(t, k.Failure.Text, "8841723")
						assert.Contains(t, k.Failure.Text, "reproduce: onedebit run")
					}
				}
			}
			assert.Equal(t, c.tests, sum)
			assertXMLRunes(t, got)
		})
	}
}

// assertXMLRunes holds section 2.2 of XML 1.0, also for character references.
func assertXMLRunes(t *testing.T, s string) {
	t.Helper()
	require.True(t, utf8.ValidString(s))
	for _, r := range html.UnescapeString(s) {
		ok := r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r < 0xd800 || r > 0xdfff && r < 0xfffe || r > 0xffff
		assert.True(t, ok, "rune %U", r)
	}
}

func TestJUnitSaysWhatBroke(t *testing.T) {
	c := cases()[1]
	var all xmlSuites
	require.NoError(t, xml.Unmarshal([]byte(render(t, JUnit, c.doc)), &all))
	require.Equal(t, "bank", all.Suites[0].Name)
	k := all.Suites[0].Cases[0]
	require.NotNil(t, k.Failure)
	assert.Equal(t, "onedebit.bank", k.Class)
	assert.Equal(t, "bank-answer-lost", k.Name)
	assert.Equal(t, "0.240", k.Time)
	assert.Equal(t, "one-debit", k.Failure.Type, "the gravest of two")
	assert.Equal(t, "The bank holds 2 debits of ¥5.00 for order O-17; the service has 1 SUCCESS row.", k.Failure.Message)
	assert.Contains(t, k.Failure.Text, "no row knows the debit T-9f01", "all findings")
	open := all.Suites[1].Cases[0]
	require.NotNil(t, open.Skipped)
	assert.True(t, strings.HasPrefix(open.Skipped.Message, "inconclusive: the kill came after"))
}

func TestJUnitBoundsItsText(t *testing.T) {
	d := base()
	s := doubleDebit()
	s.Checks[1].Findings[0].Evidence = []string{strings.Repeat("é", 60<<10)}
	for i := range 500 {
		s.Trial = i
		d.Scenarios = append(d.Scenarios, s)
	}
	got := render(t, JUnit, finish(d))
	assert.Less(t, len(got), 30_000_000, "GitLab's limit")
	assert.Equal(t, 500, strings.Count(got, "(cut)"))
	assert.Equal(t, 500, strings.Count(got, "reproduce: onedebit run"))
	assertXMLRunes(t, strings.ToValidUTF8(got[:200_000], ""))
}

func TestJSON(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, JSON, c.doc)
			golden(t, c.name+".json", got)
			assert.True(t, strings.HasSuffix(got, "}\n"))
			assert.NotContains(t, got, `\u003c`)
			assert.NotContains(t, got, "null", "a reader loops without asking")
			back, err := Read(strings.NewReader(got))
			require.NoError(t, err)
			assert.Equal(t, c.doc.Verdict, back.Verdict)
			assert.Equal(t, c.doc.Summary, back.Summary)
			for _, f := range []Format{Markdown, JUnit, JSON} {
				again, err := Read(strings.NewReader(render(t, JSON, back)))
				require.NoError(t, err)
				assert.Equal(t, render(t, f, back), render(t, f, again), "%s of a saved result", f.Name)
			}
		})
	}
}

func TestTerminal(t *testing.T) {
	narrow := &runewidth.Condition{}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			var b, coloured bytes.Buffer
			require.NoError(t, Terminal(&b, c.doc, "onedebit-out/report.md", 80, false))
			require.NoError(t, Terminal(&coloured, c.doc, "onedebit-out/report.md", 80, true))
			got := b.String()
			golden(t, c.name+".txt", got)
			assert.True(t, strings.HasPrefix(strings.ReplaceAll(got, "\n", "  "), c.head+"  "), "the verdict comes first")
			assert.True(t, strings.HasSuffix(got, "report: onedebit-out/report.md\n"))
			assert.NotContains(t, got, "\x1b")
			assert.Equal(t, got, regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured.String(), ""), "colours change no word")
			assert.Contains(t, coloured.String(), "\x1b[")
			height := 0
			for line := range strings.Lines(got) {
				width := narrow.StringWidth(strings.TrimSuffix(line, "\n"))
				height += max((width+79)/80, 1)
				if !strings.HasPrefix(line, "      onedebit") {
					assert.LessOrEqual(t, width, 80, line)
				}
			}
			assert.Less(t, height, 24)
			assert.Equal(t, c.failures > 0, strings.Contains(got, "✗"))
			if c.failures > 0 {
				assert.Contains(t, got, "      onedebit run", "a failure names its command")
			}
		})
	}
}

func TestTerminalNamesFiveAndCountsTheRest(t *testing.T) {
	for _, width := range []int{-1, 40, 80, 200} {
		var b bytes.Buffer
		require.NoError(t, Terminal(&b, many(1000, 0), "r.md", width, false))
		got := b.String()
		shown := strings.Count(got, "  ✗ ")
		assert.LessOrEqual(t, shown, 5)
		assert.GreaterOrEqual(t, shown, 2)
		assert.Contains(t, got, "and "+itoa(100-shown)+" more ✗")
		assert.Less(t, strings.Count(got, "\n"), 24)
	}
}

func TestTerminalPassesOnTheErrorOfItsWriter(t *testing.T) {
	require.ErrorIs(t, Terminal(shut{}, base(), "", 80, false), io.ErrClosedPipe)
	for _, f := range Formats() {
		require.ErrorIs(t, f.Render(shut{}, base()), io.ErrClosedPipe, f.Name)
	}
}

type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
