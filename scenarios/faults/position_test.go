package faults

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// positions are the mistakes that can be made with a position, for any kind that has one.
func positions(t *testing.T, kind, rest string) {
	t.Helper()
	refuses(t,
		sample{kind + ": {message: debit" + rest + "}", "link: say on which link, for example bank"},
		sample{kind + ": {lnk: bank" + rest + "}", `unknown key "lnk"; did you mean "link"?`},
		sample{kind + ": {link: bank, message: '[a'" + rest + "}", `message: "[a" is not a pattern: syntax error in pattern`},
		sample{kind + ": {link: bank, nth: -1" + rest + "}", "nth: -1 is not a position; the first message is 1"},
		sample{kind + ": {link: bank, count: 0" + rest + "}", `expected a whole number from 1, or all, found "0"`},
		sample{kind + ": bank", "expected keys and values (link, message, nth, count"},
	)
}

func TestPositionInWords(t *testing.T) {
	for _, c := range []struct {
		p    Position
		want string
	}{
		{Position{Link: "bank"}, "every message answer on link bank"},
		{Position{Link: "bank", Message: []string{"debit"}}, "every debit answer on link bank"},
		{Position{Link: "bank", Message: []string{"debit", "query"}, Nth: 1}, "every debit or query answer on link bank"},
		{Position{Link: "bank", Nth: 3}, "message answer number 3 and all behind it on link bank"},
		{Position{Link: "bank", Count: 1}, "message answer number 1 on link bank"},
		{Position{Link: "bank", Nth: 2, Count: 1}, "message answer number 2 on link bank"},
		{Position{Link: "bank", Nth: 2, Count: 3}, "message answers number 2 to 4 on link bank"},
	} {
		assert.Equal(t, c.want, c.p.text("answer"))
	}
}

func TestMessagesAreNamedByTheTargetOrByPattern(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		message        string
		debits, querys int
	}{
		{"debit", 1, 0}, {"query", 0, 1}, {"[debit, query]", 1, 1}, {"POST /v1/*", 1, 0}, {"GET /v1/debits/*", 0, 1}, {"close", 0, 0},
	} {
		f, err := read("delay: {link: bank, message: " + c.message + ", by: 1ms}")
		require.NoError(t, err)
		m := f.(*delay).match(r.env(), "answer")
		count := func(label string) int {
			n := 0
			for _, pattern := range m.Labels {
				if ok, _ := path.Match(pattern, label); ok {
					n++
				}
			}
			return n
		}
		assert.Equal(t, c.debits, count("POST /v1/debits"), c.message)
		assert.Equal(t, c.querys, count("GET /v1/debits/T1"), c.message)
	}
}

func TestEndings(t *testing.T) {
	reads(t, []string{"bank"},
		sample{"lost-answer: {link: bank, how: silence}", "lost: every message answer on link bank; nothing more comes"},
		sample{"lost-answer: {link: bank, how: fin}", "lost: every message answer on link bank; the connection is closed"})
	refuses(t,
		sample{"lost-answer: {link: bank,\n how: rest}", `s.yaml:2:7: how: unknown ending "rest"; did you mean "reset"?`},
		sample{"lost-request: {link: bank, how: politely}", `how: unknown ending "politely"; valid are: fin, reset, silence`})
}
