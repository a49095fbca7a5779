package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestMarkdownStaysBelowTheLimitAndSaysWhatItCut(t *testing.T) {
	wide := many(4_000, 0)
	for i := range wide.Scenarios {
		wide.Scenarios[i].Name += strings.Repeat("<", 500)
		wide.Scenarios[i].Reproduce = strings.Repeat("`", 2000)
	}
	for name, d := range map[string]*Document{
		"5 MB of time lines": many(500, 100_000),
		"one huge failure":   many(1, 6_000_000),
		"4,000 wide rows":    wide,
	} {
		t.Run(name, func(t *testing.T) {
			require.Greater(t, len(render(t, JSON, d)), 5_000_000)
			got := render(t, Markdown, d)
			assert.Less(t, len(got), 1024<<10)
			assert.Contains(t, got, fmt.Sprintf("%d pass · **%d fail**", d.Summary.Pass, d.Summary.Fail))
			assert.Contains(t, firstLine(got), "**FAIL**")
			assert.True(t, strings.Contains(got, "this page leaves out") || strings.Contains(got, "further lines of this time line"))
			sound(t, got)
		})
	}
	got := render(t, Markdown, many(500, 100_000))
	assert.Equal(t, 500, strings.Count(got, "\n| bank | ")+strings.Count(got, "\n| crash | ")+strings.Count(got, "\n| submit | "), "every verdict has its row")
}

func TestMarkdownLeavesSmallDocumentsWhole(t *testing.T) {
	for _, c := range cases() {
		assert.NotContains(t, render(t, Markdown, c.doc), "leaves out", c.name)
	}
}

func TestMarkdownShowsEvidenceOfPaymentsWithoutLedgers(t *testing.T) {
	d := base()
	s := doubleDebit()
	d.Scenarios = []Scenario{s}
	assert.NotContains(t, render(t, Markdown, finish(d)), "Evidence:", "the ledgers show it")
	d.Scenarios[0].Orders = nil
	got := render(t, Markdown, d)
	assert.Contains(t, got, "Evidence:\n\n- 12.031 s debit ¥5.00 T-9f01\n- 13.206 s")
	sound(t, got)
}

func TestMarkdownTellsTheGravestFirst(t *testing.T) {
	d := base()
	light, grave := doubleDebit(), doubleDebit()
	light.Name, light.Family = "a-first-by-name", "a"
	light.Checks = light.Checks[:1] // I15 only
	grave.Name, grave.Family = "z-last-by-name", "z"
	d.Scenarios = []Scenario{light, grave}
	got := render(t, Markdown, finish(d))
	assert.Less(t, strings.Index(got, "### 1. `z-last-by-name`"), strings.Index(got, "### 2. `a-first-by-name`"))
	assert.Less(t, strings.Index(got, "Order `O-17`"), strings.Index(got, "Order `O-16`"), "the accused payment comes first")
}

func TestMarkdownDoesNotDependOnTheOrderOfEnding(t *testing.T) {
	a, b := cases()[1].doc, cases()[1].doc
	b.Scenarios[0], b.Scenarios[2] = b.Scenarios[2], b.Scenarios[0]
	assert.Equal(t, render(t, Markdown, a), render(t, Markdown, b))
	assert.Equal(t, render(t, JUnit, a), render(t, JUnit, b))
}

func TestAPassThatNeverHappenedIsNotClaimed(t *testing.T) {
	d := base()
	d.Verdict = Pass // a mistake of the caller: nothing ran
	assert.Contains(t, render(t, Markdown, d), "nothing can be said")
	assert.Contains(t, render(t, JUnit, d), `<error type="empty"`)
	d.Verdict = ""
	assert.Contains(t, firstLine(render(t, Markdown, d)), "NO VERDICT")
	d.Clean = 0
	assert.Contains(t, render(t, Markdown, d), "No clean payment")
}

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"plain words, 5 < 6":  "plain words, 5 &lt; 6",
		"trade_no and _it_":   `trade_no and \_it\_`,
		"a|b":                 `a\|b`,
		`a\|b`:                `a&#92;\|b`,
		"a\n\n# b":            `a \# b`,
		"[x](y) ![z](w)":      `\[x\](y) \!\[z\](w)`,
		"R&D &lt; &#124;":     `R\&D \&lt; \&#124;`,
		"$5.00 $x$":           `$5.00 \$x\$`,
		"see http://a.b/_c_|": "see `http://a.b/_c_`\\|",
		"cc @someone":         "cc `@someone`",
		"\x1b[1mx\x7f":        "�\\[1mx�",
		"\u202e\u2028\u200bx": "� �x",
		"\xff":                "�",
	} {
		assert.Equal(t, want, prose(in, 100), "%q", in)
	}
	assert.Equal(t, "abc…", prose("abcdefgh", 4))
	assert.Equal(t, "abcd", prose("abcd \n", 4))
}

func TestOpening(t *testing.T) {
	for in, want := range map[string]string{
		"# h": `\# h`, "- x": `\- x`, "+ x": `\+ x`, "1. x": `1\. x`, "12) x": `12\) x`, "> q": "&gt; q", "12": "12", "12.5 s": "12.5 s", "7.": `7\.`, "* x": `\* x`, "=": `\=`, "x - y": "x - y", "": "",
	} {
		assert.Equal(t, want, opening(in, 100), "%q", in)
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"x": "`x`", "": "–", " \n": "–", "a`b": "``a`b``", "`": "`` ` ``", "a``": "``` a`` ```", "a\nb": "`a b`", "a|b": "`a|b`",
	} {
		assert.Equal(t, want, code(in, 100), "%q", in)
	}
	assert.Equal(t, "`a\\|b`", codeCell("a|b", 100))
	assert.Equal(t, `a&#92;\|b`, codeCell(`a\|b`, 100))
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"1. bank-answer-lost: the customer paid twice": "1-bank-answer-lost-the-customer-paid-twice",
		"2. a/b_c: d – e!":                             "2-ab_c-d--e",
		"3. 支付 Ünï":                                    "3-支付-ünï",
	} {
		assert.Equal(t, want, slug(in))
	}
}

func FuzzCell(f *testing.F) {
	for _, s := range []string{evil, "", "|", `\`, `\|`, "`", "``|", `\\|`, "a@b|c\\", "http://|", strings.Repeat("`|", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, cell := range []string{prose(s, 200), codeCell(s, 200), opening(s, 200)} {
			row := "| a | " + cell + " | b |"
			assert.Equal(t, 3, cells(row), row)
			assert.NotContains(t, withoutCode(row), "<")
			assert.NotContains(t, row, "\n")
			assert.NotContains(t, row, "\r")
			// A backslash at the end would take the pipe after the blank along in no renderer, one right before it would.
			assert.False(t, strings.HasSuffix(strings.ReplaceAll(cell, `\\`, ""), `\`), row)
		}
	})
}

func BenchmarkAllFormats(b *testing.B) {
	d := many(1000, 2000)
	for b.Loop() {
		for _, f := range Formats() {
			if err := f.Render(io.Discard, d); err != nil {
				b.Fatal(err)
			}
		}
		if err := Terminal(io.Discard, d, "report.md", 80, true); err != nil {
			b.Fatal(err)
		}
	}
}

// Most of what breaks a service is no fault of a link: it was tested all the same.
func TestAScenarioWithoutAFaultIsATest(t *testing.T) {
	quiet := passed("callback", "success-then-fail")
	quiet.Faults = nil
	assert.Contains(t, rendered(t, resultOf(quiet)), "was put to the test by clients and bank alone, without a fault on any link, in 1 scenario.")
	unfelt := passed("bank", "bank-latency")
	unfelt.Faults = []Fault{{Kind: "delay", Armed: 1}}
	assert.Contains(t, rendered(t, resultOf(unfelt)), "was never disturbed in 1 scenario.")
}
