package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHTML(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, HTML, c.doc)
			golden(t, c.name+".html", strings.NewReplacer(pageStyle, "", pageScript, "").Replace(got))
			assert.Contains(t, got, "<title>onedebit: "+html.EscapeString(c.head)+"</title>")
			assert.Equal(t, len(groups(c.doc)), strings.Count(got, `<details class="scenario `), "a scenario is missing")
			wholeHTML(t, got)
		})
	}
}

var (
	tag  = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	blob = regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`)
)

// wholeHTML holds what keeps a page to itself: our own tags only, nothing that is loaded from elsewhere, one script, ids once.
func wholeHTML(t *testing.T, page string) {
	t.Helper()
	assert.Contains(t, page, "script-src &#39;"+strings.ReplaceAll(digest(pageScript), "+", "&#43;"))
	assert.Contains(t, page, "default-src &#39;none&#39;")
	for _, m := range blob.FindAllStringSubmatch(page, -1) {
		var payments []htmlPayment
		assert.NoError(t, json.Unmarshal([]byte(m[1]), &payments))
		assert.NotContains(t, m[1], "<")
	}
	ours := strings.NewReplacer(pageStyle, "", "<script>"+pageScript+"</script>", "").Replace(blob.ReplaceAllString(page, ""))
	assert.NotContains(t, ours, "<script")
	assert.NotContains(t, ours, "<img")
	assert.NotContains(t, ours, "\x1b")
	ids := map[string]bool{}
	for _, m := range tag.FindAllString(ours, -1) {
		assert.NotRegexp(t, `(?i)\s(on[a-z]+|style|src|action)=`, m)
		assert.NotRegexp(t, `href="(?:[^#d]|d[^a])`, m, "a link out of the page")
		if id := regexp.MustCompile(`\bid="([^"]*)"`).FindStringSubmatch(m); id != nil {
			assert.False(t, ids[id[1]], "two elements are %q", id[1])
			ids[id[1]] = true
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(ours, -1) {
		assert.True(t, ids[unescapePath(m[1])], "link to %q leads nowhere", m[1])
	}
}

// unescapePath undoes the template's escaping of a fragment, which the browser does too.
func unescapePath(s string) string {
	return regexp.MustCompile(`%[0-9a-fA-F]{2}`).ReplaceAllStringFunc(html.UnescapeString(s), func(e string) string {
		var b byte
		_, _ = fmt.Sscanf(e[1:], "%02x", &b)
		return string([]byte{b})
	})
}

func TestHTMLTellsTheGravestFirstAndOpensIt(t *testing.T) {
	got := render(t, HTML, cases()[1].doc)
	at := func(s string) int {
		require.Contains(t, got, s)
		return strings.Index(got, s)
	}
	assert.Less(t, at(`id="s-bank-answer-lost" data-verdict="fail" data-family="bank" open`), at(`id="s-kill-after-debit" data-verdict="inconclusive"`))
	assert.Less(t, at(`id="s-kill-after-debit"`), at(`id="s-fifty-at-once" data-verdict="pass"`))
	for _, w := range []string{"The bank holds 2 debits of ¥5.00 for order O-17", "<strong>debit ¥5.00 T-a772</strong>", "onedebit run bank-answer-lost --seed 8841723",
		"Usual cause, one-debit", "¥5.00 was taken twice", `class="state-f"`, "One-debit"[1:]} {
		assert.Contains(t, got, w)
	}
}

func TestHTMLIsBounded(t *testing.T) {
	got := render(t, HTML, many(htmlScenarios+10, 0))
	assert.Equal(t, htmlScenarios, strings.Count(got, `<details class="scenario `))
	assert.Contains(t, got, "10 further scenarios are in result.json")
	assert.Contains(t, got, fmt.Sprintf("<b>%d</b>", htmlScenarios+10-(htmlScenarios+10)/10), "the counts are of all")
}

func TestMatrixHTML(t *testing.T) {
	everywhere := matrix(Pass, killed, atTimes, byOthers, survivor, untried)
	everywhere.Columns = []MatrixColumn{{Scenario: "bank-answer-lost", Kills: []string{"trade-no-per-try"}}, {Scenario: "success-then-fail"}}
	everywhere.Skipped = []string{"bank-call-in-tx on db-commit-refused: no link db"}
	for name, m := range map[string]*Matrix{"all": everywhere, "hostile": matrix(Pass, hostileM), "none": matrix(Pass)} {
		var b bytes.Buffer
		require.NoError(t, MatrixHTML(&b, m))
		golden(t, "matrix-"+name+".html", strings.NewReplacer(pageStyle, "", pageScript, "").Replace(b.String()))
		wholeHTML(t, b.String())
		assert.Equal(t, len(m.Rows), strings.Count(b.String(), `<details class="scenario `))
		assert.Equal(t, len(m.Survivors()), strings.Count(b.String(), `<details class="scenario fail"`))
	}
	require.ErrorContains(t, MatrixHTML(shut{}, everywhere), "closed pipe")
}
