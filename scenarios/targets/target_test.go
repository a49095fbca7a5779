package targets

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func bundledReference(t testing.TB) *Target {
	t.Helper()
	target, err := Bundled(Reference)
	require.NoError(t, err)
	return target
}

func TestBundledReference(t *testing.T) {
	target := bundledReference(t)
	assert.Equal(t, "reference", target.Name)
	assert.Equal(t, "reference", target.Processes[0].Role)
	assert.Equal(t, 3*time.Second, time.Duration(target.Processes[0].Timers["gateway_timeout"]))
	assert.Subset(t, target.LinkNames(), []string{"cache", "callback", "db", "queue"})
	assert.True(t, slices.IsSorted(target.LinkNames()))
	assert.Equal(t, []string{"POST /v1/debits"}, target.Patterns("bank", "debit"))
	assert.Equal(t, []string{"POST /v1/*"}, target.Patterns("bank", "POST /v1/*"), "what has no name is a pattern itself")
	assert.Equal(t, []string{"debit"}, target.Patterns("client", "debit"), "a name holds on its own link only")
	assert.Equal(t, history.Target{
		Name: "reference", Mutant: "m", Rows: true, Effects: true, EffectKinds: []string{"membership", "coupon"}, RefusesOtherBody: true,
		RefundEffectKinds: []string{"refund-notice"}, Refunds: true, Events: true, Surplus: true, Callbacks: true, Retries: []int{503},
	}, target.Describe("m"))
	_, err := Bundled("referenz")
	require.ErrorContains(t, err, `no bundled target "referenz"`)
}

// edited is the bundled file with one text replaced.
func edited(t *testing.T, old, now string) []byte {
	t.Helper()
	data, err := os.ReadFile("reference.yaml")
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	return []byte(strings.Replace(string(data), old, now, 1))
}

func TestTargetFilesAreReadStrictly(t *testing.T) {
	const all = "all: SELECT id, order_id, status, amount, currency, channel, trade_no, merchant FROM pay_transaction ORDER BY created_at, id"
	for _, c := range []struct{ name, old, now, want string }{
		{"unknown key", "answers:", "anwsers:", `unknown key "anwsers"; did you mean "answers"?`},
		{"unknown key within", "capture:", "captures:", `unknown key "captures"; did you mean "capture"?`},
		{"unknown link", "  cache:\n    messages", "  cahce:\n    messages", `t.yaml:2:1: links: unknown link "cahce"; did you mean "cache"?`},
		{"link pattern", "{claim: SET}", "{claim: \"SET[\"}", `claim: "SET[" is not a pattern: syntax error in pattern`},
		{"no name", "target: reference", "target:", `t.yaml:2:1: target: give the service a name`},
		{"two methods", "post: /api/payment/pay", "post: /pay\n        get: /pay", `a request needs either post: or get: with a path`},
		{"no method", "get: /api/payment/orders/${order}", "headers: {A: b}", `key "headers" is given twice`},
		{"submit by get", "post: /api/payment/pay", "get: /api/payment/pay", `payment.submit: say where a payment is sent`},
		{"no rows", all, "all:", `rows: say how the payment rows are read`},
		{"outcome", "means: declined", "means: denied", `means: "denied" is none of [confirmed declined pending refused unknown]`},
		{"no outcome", "{state: [FAILED, CLOSED], means: declined}", "{state: [FAILED]}", `means: "" is none of`},
		{"status as text", "http: [504]", "http: [gone]", `expected a whole number, found "gone"`},
		{"timer without a unit", "gateway_timeout: 3s", "gateway_timeout: 3", `expected a duration such as 250ms, 3s or 10m, found "3"`},
		{"log pattern", `(?P<order>`, `(?P<order`, `log line pattern: error parsing regexp`},
		{"log group", `?P<status>`, `?P<state>`, `log line pattern: unknown group "state"; did you mean "status"?`},
		{"body that is no JSON", "account: \"${account}\"}", "account: {1: x}}", `json: json: unsupported type: map[interface {}]interface {}; keys are text`},
		{"number that is no JSON", "account: \"${account}\"}", "account: .nan}", `json: json: unsupported value: NaN`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load("t.yaml", edited(t, c.old, c.now))
			require.ErrorContains(t, err, c.want)
			assert.Regexp(t, `^t\.yaml:\d+:\d+: `, err.Error())
		})
	}
	_, err := Load("t.yaml", nil)
	require.ErrorContains(t, err, "t.yaml:1:1: the file is empty")
}

func TestLogLines(t *testing.T) {
	reference := bundledReference(t).Log
	partial := Log{Line: `order=(?P<order>\S+)(?: step=(?P<step>\S+))?`}
	require.NoError(t, partial.Validate())
	line := func(order, trace, step, status string) history.LogLine {
		return history.LogLine{Process: "service", Order: order, Trace: trace, Step: step, Status: status}
	}
	for _, c := range []struct {
		name string
		log  Log
		text string
		want history.LogLine
	}{
		{"all fields", reference, "2026-11-29T17:40:00.123456Z [O-17] [T-77] [bank.call] [START] [trade_no=B0001 amount=500]", line("O-17", "T-77", "bank.call", "START")},
		{"empty fields", reference, "2026-11-29T17:40:00Z [-] [-] [reconcile.query] [SKIP_DUPLICATE] [-]", line("", "", "reconcile.query", "SKIP_DUPLICATE")},
		{"no detail", reference, "2026-11-29T17:40:00Z [O-1] [] [a] [b]", line("O-1", "", "a", "b")},
		{"a panic", reference, "panic: runtime error: invalid memory address [recovered]", line("", "", "", "")},
		{"empty", reference, "", line("", "", "", "")},
		{"fields behind other text are not fields", reference, "note: said [O-1] [T-1] [a] [b]", line("", "", "", "")},
		{"no pattern", Log{}, "x [O-1] [T-1] [a] [b]", line("", "", "", "")},
		{"optional group absent", partial, "got order=O-1", line("O-1", "", "", "")},
		{"optional group present", partial, "got order=O-1 step=pay", line("O-1", "", "pay", "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Text = c.text
			assert.Equal(t, c.want, c.log.Parse("service", c.text))
		})
	}
}

// FuzzLogParse holds that no line makes the reader panic, that the text is kept, and that fields come from the text.
func FuzzLogParse(f *testing.F) {
	for _, seed := range []string{"", "t [O-1] [T-1] [a] [b] [c]", "t [-] [] [[] [b", "\xff [\x00] [T] [a] [b]", "t [O\n1] [T] [a] [b]"} {
		f.Add(seed)
	}
	reference := bundledReference(f).Log
	f.Fuzz(func(t *testing.T, text string) {
		line := reference.Parse("p", text)
		require.Equal(t, text, line.Text)
		for _, field := range []string{line.Order, line.Trace, line.Step, line.Status} {
			require.Contains(t, text, field)
			require.NotEqual(t, "-", field)
		}
	})
}
