package dialects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/fakebank"
	"onedebit/fakebank/dialects"
)

func TestBuiltinDialectsAreGood(t *testing.T) {
	assert.Equal(t, []string{"example", "native", "stripe"}, dialects.Names())
	for _, name := range dialects.Names() {
		d := builtin(t, name)
		assert.Equal(t, name, d.Name)
		assert.NotEmpty(t, d.Title)
	}
	_, err := dialects.Named("strip")
	assert.ErrorContains(t, err, `did you mean "stripe"?`)
}

// call is a dialect of one call, with more lines in it.
func call(lines ...string) string {
	return "calls:\n  - on: POST /pay/{id}\n    " + strings.Join(lines, "\n    ") + "\n"
}

func callback(lines ...string) string {
	return call("callback: told") + "settings: {hook: x}\ncallbacks:\n  told:\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestMistakesAreToldWithTheirPlace(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "test.yaml:1:1: the file is empty"},
		{"no calls", "title: x\n", "calls is missing"},
		{"unknown dialect", "dialect: strype\n", `1:10: unknown dialect "strype"; did you mean "stripe"?`},
		{"unknown setting", "dialect: stripe\nsettings: {webhook: x}\n", `2:11: unknown setting of dialect stripe "webhook"; did you mean "webhook_url"?`},
		{"unknown key", "cals: []\n", `1:1: unknown key "cals"; did you mean "calls"?`},
		{"unknown key of a call", call("mony: debit"), `3:5: unknown key "mony"; did you mean "money"?`},
		{"no on", "calls: [{money: none}]\n", "1:9: on is missing"},
		{"method", "calls: [{on: FETCH /x}]\n", `1:14: unknown method "FETCH"`},
		{"path", "calls: [{on: POST x}]\n", "expected a method and a path"},
		{"capture", "calls: [{on: \"POST /{a}{b}\"}]\n", "at most one capture"},
		{"money", call("money: debt"), `3:12: unknown money "debt"; did you mean "debit"?`},
		{"body", call("body: xml"), `3:11: unknown body "xml"`},
		{"name", call("reference: bdoy.id"), `3:16: unknown name "bdoy.id"; did you mean "body.id"?`},
		{"name of an outcome in a source", call("reference: amount"), `unknown name "amount"`},
		{"half a name", call("reference: body"), "say which"},
		{"form of an amount", call("reply: {json: {a: \"${amount.decimals}\"}}"), `unknown name "amount.decimals"; did you mean "amount.decimal"?`},
		{"placeholder not ended", call("reply: {json: {a: \"${amount\"}}"), "a placeholder is not ended"},
		{"event outside of callbacks", call("reply: {json: {a: \"${event.id}\"}}"), "known in callbacks only"},
		{"capture that is not there", call("reference: path.no"), `unknown capture of the path "no"`},
		{"condition that captures nothing", call("reference: when.no"), `unknown capture of a condition "no"`},
		{"table", call("reply: {json: {a: \"${word.x}\"}}"), `unknown table of words "x"`},
		{"setting", call("reference: setting.x"), `unknown setting "x"`},
		{"kept", call("reference: kept.x"), `unknown name that a call keeps "x"`},
		{"condition", call("when: {bodi.x: y}"), `unknown name "bodi.x"`},
		{"outcome", call("reply: {ok: {}, declinde: {}}"), `3:21: unknown outcome "declinde"; did you mean "declined"?`},
		{"status", call("reply: {status: 99}"), "status 99: use 200 to 599"},
		{"json and text", call("reply: {json: {}, text: x}"), "exclude each other"},
		{"but alone", call("reply: {but: {a: 1}}"), "but changes fields of json"},
		{"amount", call("amount: {at: body.a, as: cents}"), `unknown way to write an amount "cents"`},
		{"amount nowhere", call("amount: {as: decimal}"), "at is missing"},
		{"refund of nothing", call("money: refund"), "money refund needs a reference"},
		{"opens", call("opens: true"), "opens is for calls with a reference"},
		{"once", call("once: true"), "once is for calls that take or hold money"},
		{"known", call("known: true"), "known is for calls"},
		{"dedupe by nothing", call("dedupe: {}"), "3:13: by is missing"},
		{"dedupe twice", call("dedupe: {by: body.id, reply: stored, status: 409}"), "exclude each other"},
		{"dedupe how", call("dedupe: {by: body.id, reply: sorted}"), `3:34: unknown way to answer a repeat "sorted"; did you mean "stored"?`},
		{"dedupe status", call("dedupe: {by: body.id, status: 200}"), "status 200: use 400 to 499"},
		{"dedupe new", call("dedupe: {by: new.id}"), "a new id never comes again"},
		{"current of another", call("money: debit", "reference: path.id", "dedupe: {by: body.id, reply: current}"), "has to be what names it"},
		{"callback", call("callback: told"), `3:15: unknown callback "told"`},
		{"never meant", call("name: a") + "  - {on: \"POST /pay/{id}\"}\n", "4:10: POST /pay/{id} never comes to this call"},
		{"words", "words: {status: {paid: x}}\n" + call("name: a"), `unknown status "paid"`},
		{"word that is none", "words: {status: {open: [x]}}\n" + call("name: a"), "1:24: expected a text"},
		{"currency", "currency: yuan\n" + call("name: a"), "three capital letters"},
		{"case", "currency-case: small\n" + call("name: a"), `unknown case "small"`},
		{"no body", callback("to: hook"), "one of json, form and text"},
		{"no address", callback("json: {}"), "to is missing"},
		{"setting of the address", callback("to: hok", "json: {}"), `unknown setting "hok"; did you mean "hook"?`},
		{"of", callback("to: hook", "json: {}", "of: [paid]"), `unknown status "paid"`},
		{"hash", callback("to: hook", "json: {}", "sign: {hmac: sha1, over: x, header: y}"), `unknown hash "sha1"`},
		{"sign nothing", callback("to: hook", "json: {}", "sign: {hmac: sha256, header: y}"), "over is missing"},
		{"sign nowhere", callback("to: hook", "json: {}", "sign: {hmac: sha256, over: x}"), "say where the signature goes"},
		{"sign without", callback("to: hook", "json: {}", "sign: {header: x}"), "value is missing"},
		{"sign itself", callback("to: hook", "json: {}", "sign: {hash: sha256, over: \"${raw}\", into: x}"), "cannot be over ${raw}"},
		{"after", callback("to: hook", "json: {}", "after: 5"), "expected a duration"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := dialects.Parse("test.yaml", []byte(tc.text))
			require.ErrorContains(t, err, tc.want)
			assert.Regexp(t, `^test\.yaml:\d+:\d+: `, err.Error())
		})
	}
	_, err := dialects.Parse("test.yaml", make([]byte, 2<<20))
	assert.ErrorContains(t, err, "at most")
}

func TestSettings(t *testing.T) {
	d := parse(t, "dialect: stripe\nsettings: {webhook_url: \"http://127.0.0.1:1/\"}\nbelongs: body.metadata.order|\n")
	assert.Equal(t, "http://127.0.0.1:1/", d.Settings["webhook_url"])
	assert.Empty(t, builtin(t, "stripe").Settings["webhook_url"])
	_, err := d.Speak(dialects.Options{Settings: map[string]string{"webhok_url": ""}})
	assert.ErrorContains(t, err, `did you mean "webhook_url"?`)
	r := speak(t, d)
	body := "amount=100&currency=usd&confirm=true&payment_method=pm&metadata[order]=O-5"
	require.Equal(t, 200, r.ask("POST", "/v1/payment_intents", body, "Content-Type", formType).status)
	assert.Equal(t, "O-5", r.ledger("debit")[0].Account)
}

// The shortest dialects that real services needed: a bank that refuses repeats, and one that tells the outcome by callback.
func TestShortDialects(t *testing.T) {
	r := speak(t, parse(t, `
calls:
  - on: POST /payments
    money: debit
    dedupe: {by: body.correlationId, status: 422}
    reply: {status: 200, json: {message: ok}}
  - on: GET /payments/service-health
    reply: {status: 200, json: {failing: false, minResponseTime: 0}}
`))
	a := r.ask("POST", "/payments", `{"correlationId":"c1","amount":19.9}`)
	assert.Equal(t, 200, a.status)
	assert.JSONEq(t, `{"message":"ok"}`, a.text)
	assert.Equal(t, 422, r.ask("POST", "/payments", `{"correlationId":"c1","amount":19.9}`).status)
	assert.JSONEq(t, `{"failing":false,"minResponseTime":0}`, r.ask("GET", "/payments/service-health", "").text)
	assert.Len(t, r.debits(), 1)
	assert.Equal(t, "c1", r.ledger("debit")[0].TradeNo)

	r = speak(t, parse(t, `
settings: {webhook_url: x}
calls:
  - on: POST /process_transfer
    money: debit
    belongs: {amount: body.amount}
    reply: {status: 202, json: {}}
    callback: done
callbacks:
  done:
    after: 1ms
    to: webhook_url
    post: /api/webhook/transfer
    json: {transfer_id: "${call.body.transfer_id}", status: COMPLETED}
    declined: {status: FAILED}
    delivered: [200]
    refused: [500]
`))
	r.hook.replies <- 500
	a = r.ask("POST", "/process_transfer", `{"transfer_id":7,"amount":100.00}`)
	assert.Equal(t, 202, a.status)
	assert.Equal(t, "{}", a.text)
	got := r.hook.next(t)
	assert.Equal(t, "/api/webhook/transfer", got.path)
	assert.JSONEq(t, `{"transfer_id":7,"status":"COMPLETED"}`, string(got.body), "a number stays a number")
	assert.Equal(t, []int64{10000}, r.debits())
	r.arm(object{"kind": "decline"})
	r.ask("POST", "/process_transfer", `{"transfer_id":8,"amount":1}`)
	assert.JSONEq(t, `{"transfer_id":8,"status":"FAILED"}`, string(r.hook.next(t).body), "the refused one did not come again")
}

func TestBanksAreToldApartByName(t *testing.T) {
	var sum int64
	for i, name := range []string{"first", "second"} {
		r := speak(t, builtin(t, "example"), func(c *fakebank.Config) { c.Name = name })
		r.ask("POST", "/pay", fmt.Sprintf(`{"amount":%d}`, i+1))
		for _, e := range r.ledger("debit") {
			assert.Equal(t, name, e.Bank)
			sum += e.Amount
		}
	}
	assert.EqualValues(t, 300, sum)
}

func FuzzParse(f *testing.F) {
	for _, name := range dialects.Names() {
		text, err := dialects.Text(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(call("money: debit", "reference: \"${path.id}-${body.x|y}\"", "reply: {json: &a [1, null, {x: \"${amount}\"}]}"))
	f.Add(callback("to: hook", "form: {a: 1}", "sign: {hmac: sha256, over: x, header: y}"))
	f.Fuzz(func(t *testing.T, text string) {
		d, err := dialects.Parse("f.yaml", []byte(text))
		if err != nil {
			return
		}
		if _, err := d.Speak(dialects.Options{}); err != nil {
			t.Errorf("a dialect that was read cannot be spoken: %v", err)
		}
	})
}
