package reports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarkdownInChinese(t *testing.T) {
	md, err := Spoken(Markdown, "zh")
	require.NoError(t, err)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := render(t, md, c.doc)
			golden(t, c.name+".zh.md", got)
			sound(t, got)
			assert.Contains(t, firstLine(got), "支付故障注入验证报告")
			assert.Equal(t, strings.Count(render(t, Markdown, c.doc), "\n"), strings.Count(got, "\n"), "the same page")
			assert.Equal(t, render(t, Markdown, c.doc), render(t, Markdown, c.doc))
		})
	}
}

func TestSpoken(t *testing.T) {
	same, err := Spoken(JSON, "zh")
	require.NoError(t, err)
	assert.Equal(t, render(t, JSON, base()), render(t, same, base()), "machines read one language")
	_, err = Spoken(Markdown, "xx")
	require.EqualError(t, err, `unknown language "xx": use one of en, zh`)
	assert.Equal(t, []string{"en", "zh"}, Languages())
	assert.Equal(t, "as it is", Tell("en", "as it is"))
}

// What holds words of a sentence, and what does not though it has letters: marks in comments, and the language of a diagram.
var (
	spoken   = regexp.MustCompile(`[A-Za-z]{2,}`)
	unspoken = regexp.MustCompile("^(<!--|```mermaid|participant|rect )")
)

// Every sentence of the page is in the catalogue: a new one without a translation fails here.
func TestNoPhraseOfThePageIsMissing(t *testing.T) {
	l := catalogues["zh"]()
	files, err := filepath.Glob("markdown*.go")
	require.NoError(t, err)
	files = append(files, "headline.go")
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || name.Sel.Name != "printf" && name.Sel.Name != "sprintf" && name.Sel.Name != "header" {
				return true
			}
			args := call.Args[:1]
			if name.Sel.Name == "header" {
				args = call.Args
			}
			for _, arg := range args {
				text := literal(arg)
				if key := keyOf(text); spoken.MatchString(key) && !unspoken.MatchString(key) {
					checked++
					assert.NotNil(t, l.exact[key], "%s: %q is not in zh.txt", fset.Position(arg.Pos()), key)
				}
			}
			return true
		})
	}
	assert.Greater(t, checked, 50)
}

// literal is the text of a string literal, or of several joined by +.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}

func TestTell(t *testing.T) {
	for in, want := range map[string]string{
		"the bank holds 2 debits of ¥5.00 for order O-17; the service has 1 SUCCESS row":                   "银行为订单 O-17 持有 2 笔扣款，金额 ¥5.00；服务有 1 条 SUCCESS 记录",
		"order O-1: the bank took ¥5.00 under trade number T1, and the service has no record of it":        "订单 O-1：银行扣了 ¥5.00（交易号 T1），而服务没有记录",
		"¥5.00 was taken twice, nothing was created, ¥5.00 and KWD 5.000 were destroyed.":                  "重复扣款 ¥5.00，没有凭空产生，凭空消失 ¥5.00和KWD 5.000。",
		"no payment was made; the service's books were never read":                                         "没有发起支付；从未读到服务的账",
		"words of somebody's own, which nobody has translated":                                             "words of somebody's own, which nobody has translated",
		"never felt: asked (held back: query answers number 1 to 2 on link bank); fault asked never fired": "从未生效：asked（扣住：链路 bank 上第 1 到 2 个 query 应答）；故障 asked 从未生效",
		"": "",
	} {
		assert.Equal(t, want, Tell("zh", in))
	}
	long := strings.Repeat("the bank holds ", 5000)
	assert.Equal(t, long, Tell("zh", long), "what is endless costs no more than a look")
}

func TestCatalogueIsWhole(t *testing.T) {
	seen := map[string]bool{}
	var pair []string
	for line := range strings.Lines(zh) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || len(pair) == 0 && strings.HasPrefix(line, "# ") {
			pair = nil
			continue
		}
		if pair = append(pair, line); len(pair) < 2 {
			assert.False(t, seen[line], "%q is there twice", line)
			seen[line] = true
			continue
		}
		gaps := len(gapOf.FindAllString(pair[0], -1))
		for _, g := range gap.FindAllString(pair[1], -1) {
			n, err := strconv.Atoi(strings.Trim(g, "{}"))
			assert.True(t, err != nil || n >= 1 && n <= gaps, "%q fills a gap that is not there", pair[1])
		}
		assert.Len(t, gap.FindAllString(pair[1], -1), gaps, "%q loses or doubles something", pair[1])
	}
	assert.Panics(t, func() { readLanguage("x", "a phrase\n\n") })
}
