package dialects_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/fakebank"
)

const formType = "application/x-www-form-urlencoded"

func payForm(id string) (string, []string) {
	form := url.Values{"payment[id]": {id}, "payment[amount]": {"12.5"}, "payment[currency]": {"JPY"}, "order": {"O-1"}}
	if !strings.HasPrefix(id, "yen") {
		form.Set("payment[currency]", "USD")
	}
	return form.Encode(), []string{"Content-Type", formType, "X-Channel", "card-visa"}
}

func TestExampleForm(t *testing.T) {
	r := speak(t, builtin(t, "example"))
	body, headers := payForm("P1")
	a := r.ask("POST", "/pay", body, headers...)
	assert.Equal(t, 201, a.status)
	assert.JSONEq(t, `{"id":"P1","state":"paid","amount":12.50,"minor":1250,"text":"12.50 USD","scheme":"visa","final":true}`, a.text)
	assert.Contains(t, a.text, `"amount":12.50`)
	assert.True(t, strings.HasPrefix(a.header.Get("X-Request"), "req-"))
	assert.JSONEq(t, a.text, r.ask("GET", "/pay/P1", "").text)

	assert.Equal(t, 409, r.ask("POST", "/pay", body, headers...).status, "a repeat is refused")
	yen, headers := payForm("yen")
	a = r.ask("POST", "/pay", yen, headers...)
	assert.Equal(t, 400, a.status)
	assert.Equal(t, `amount must have at most 0 decimals in JPY, not "12.5"`, a.object(t)["text"])
	assert.Equal(t, "bad_request", a.object(t)["code"])
	assert.Equal(t, []int64{1250}, r.debits())
	lines := r.ledger("request", "answer")
	assert.Equal(t, []string{"O-1", "O-1"}, []string{lines[0].Account, lines[2].Account}, "the call belongs to its order")
	assert.Contains(t, lines[0].Detail, "payment.id=P1")

	a = r.ask("POST", "/pay", `{"amount":1}`, "X-Channel", "wire")
	assert.Equal(t, 200, a.status, "the condition is not met: another call is meant")
	assert.Equal(t, "none", a.object(t)["scheme"])
}

func TestExampleJSONAndKeys(t *testing.T) {
	r := speak(t, builtin(t, "example"))
	first := r.ask("POST", "/pay", `{"amount":12.5,"note":1}`, "X-Idempotency-Key", "k")
	assert.EqualValues(t, 1250, first.object(t)["minor"])
	again := r.ask("POST", "/pay", `{"amount":12.5,"note":2}`, "X-Idempotency-Key", "k")
	assert.Equal(t, first.text, again.text, "only the amount is compared")
	assert.Equal(t, "yes", again.header.Get("X-Replayed"))
	other := r.ask("POST", "/pay", `{"amount":13}`, "X-Idempotency-Key", "k")
	assert.Equal(t, 422, other.status)
	assert.Equal(t, "mismatch", other.object(t)["code"])
	r.ask("POST", "/pay", `{"amount":12.5}`)
	r.ask("POST", "/pay", `{"amount":12.5}`)
	assert.Len(t, r.debits(), 3, "without a key nothing is recognised")
	for body, want := range map[string]string{
		`{"amount":"12.5"}`: "amount must be a number, not string", `{"amount":-1}`: "amount must be a positive number",
		`{"amount":0.001}`: "at most 2 decimals", `{}`: "amount must be a positive number", ``: "ends early", `[1]`: "an object, not array",
		`{"amount":99999999999999999}`: "is out of range", `{"amount":1e3}`: "must be a decimal number",
	} {
		a := r.ask("POST", "/pay", body)
		assert.Equal(t, 400, a.status, body)
		assert.Contains(t, a.object(t)["text"], want)
	}
	assert.Equal(t, 404, r.ask("GET", "/nothing", "").status)
	assert.Equal(t, "no_such_path", r.ask("GET", "/nothing", "").object(t)["code"])
	assert.Equal(t, true, r.ask("GET", "/health", "").object(t)["up"])
	assert.Equal(t, 200, r.ask("GET", "/readyz", "").status)
	assert.Len(t, r.debits(), 3)
}

func TestExampleOrder(t *testing.T) {
	r := speak(t, builtin(t, "example"))
	assert.Equal(t, 404, r.ask("POST", "/orders/O1/reserve", "").status, "nothing is known of it")
	a := r.ask("PUT", "/orders/O1", `{"cents":700}`, "X-Customer", "C1")
	assert.Equal(t, "new", a.object(t)["state"], a.text)
	assert.Equal(t, 400, r.ask("PUT", "/orders/O2", `{"cents":700}`).status, "the customer is missing")
	assert.Equal(t, "reserved", r.ask("POST", "/orders/O1/reserve", "").object(t)["state"])
	assert.Equal(t, 409, r.ask("POST", "/orders/O1/reserve", "").status)
	got := r.hook.next(t)
	assert.Equal(t, "/hooks/reserved", got.path)
	assert.Equal(t, "amounts%5Breserved%5D=7.00&id=O1", string(got.body))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(got.body)
	assert.Equal(t, base64.StdEncoding.EncodeToString(mac.Sum(nil)), got.header.Get("X-Signature"))
	assert.Empty(t, r.debits())
	assert.Equal(t, 422, r.ask("POST", "/orders/O1/capture", `{"cents":701}`).status)
	assert.Equal(t, "paid", r.ask("POST", "/orders/O1/capture", `{"cents":500}`).object(t)["state"])
	assert.Equal(t, []int64{500}, r.debits())
	assert.Equal(t, "C1", r.ledger("debit")[0].Account)
	assert.Equal(t, 409, r.ask("DELETE", "/orders/O1", "").status, "what is taken is given back by a refund")
	r.ask("PUT", "/orders/O3", `{"cents":700}`, "X-Customer", "C1")
	assert.Equal(t, "cancelled", r.ask("DELETE", "/orders/O3", "").object(t)["state"])
	assert.Equal(t, 409, r.ask("POST", "/orders/O3/reserve", "").status)

	assert.Equal(t, "paid", r.hook.next(t).object(t)["payment"].(object)["state"])
	give := r.ask("POST", "/refunds/R1", `{"id":"O1","amount":2.00}`)
	assert.JSONEq(t, `{"no":"R1","id":"O1","state":"returned","amount":2.00}`, give.text)
	got = r.hook.next(t)
	assert.Equal(t, "PUT", got.method)
	said := got.object(t)
	sum := sha512.Sum512([]byte(said["event"].(string) + "R1" + secret))
	assert.Equal(t, object{"sum": hex.EncodeToString(sum[:])}, said["check"])
	assert.Equal(t, give.text, r.ask("POST", "/refunds/R1", `{"id":"O1","amount":2.00}`).text)
	assert.Equal(t, give.text, r.ask("GET", "/refunds/R1", "").text)
	assert.Equal(t, 422, r.ask("POST", "/refunds/R1", `{"id":"O1","amount":1.00}`).status)
	over := r.ask("POST", "/refunds/R2", `{"id":"O1","amount":3.01}`)
	assert.Equal(t, 422, over.status)
	assert.Equal(t, "too much", over.object(t)["code"])
	assert.Equal(t, 200, r.ask("POST", "/refunds/R3", `{"id":"O1"}`).status, "all that is left")
	assert.Len(t, r.ledger("refund"), 2)
}

func (h heard) object(t *testing.T) object { return answer{text: string(h.body)}.object(t) }

func TestExampleCallbacks(t *testing.T) {
	r := speak(t, builtin(t, "example"))
	r.hook.replies <- 500
	r.hook.replies <- 202 // not among those that acknowledge
	r.hook.replies <- 409 // a lawful no
	a := r.ask("POST", "/pay", `{"amount":1,"order":"O-7"}`)
	var ids []any
	for try := range 3 {
		got := r.hook.next(t)
		said := got.object(t)
		ids = append(ids, said["event"])
		assert.Equal(t, "/hooks/payment", got.path)
		assert.Equal(t, []string{"1", "2", "3"}[try], got.header.Get("X-Attempt"))
		assert.Equal(t, "O-7", said["order"], "what the call said is remembered")
		assert.Equal(t, a.object(t), said["payment"])
		assert.Equal(t, "t0ken", got.header.Get("X-Token"))
		at, sum, _ := strings.Cut(strings.TrimPrefix(got.header.Get("X-Signature"), "t="), ",v1=")
		mac := hmac.New(sha512.New, []byte(secret))
		mac.Write([]byte(at + "." + string(got.body)))
		assert.Equal(t, hex.EncodeToString(mac.Sum(nil)), sum)
	}
	assert.Equal(t, ids[0], ids[2])
	assert.True(t, strings.HasPrefix(ids[0].(string), "ev_"))
	require.Eventually(t, func() bool { return len(r.ledger("callback")) == 3 }, patience, 1e6)
	assert.Contains(t, r.ledger("callback")[2].Detail, "turned down")

	r.arm(object{"kind": "decline"})
	assert.Equal(t, 402, r.ask("POST", "/pay", `{"amount":1}`).status)
	said := r.hook.next(t).object(t)
	assert.Equal(t, "refused", said["payment"].(object)["state"])
	assert.Equal(t, "declined", said["payment"].(object)["reason"])
	assert.NotContains(t, said, "order")

	r.rule("POST", "callbacks", object{"trade_no": "none", "status": "SUCCESS", "amount": 5, "currency": "CNY", "once": true,
		"notification_ids": []string{"ev_forged"}, "attempt": 7})
	got := r.hook.next(t)
	assert.Equal(t, "7", got.header.Get("X-Attempt"))
	assert.Equal(t, "ev_forged", got.object(t)["event"])
}

func TestExampleFailures(t *testing.T) {
	r := speak(t, builtin(t, "example"), func(c *fakebank.Config) { c.OpeningBalance = 100 })
	a := r.ask("POST", "/pay", `{"amount":2}`)
	assert.Equal(t, 200, a.status)
	assert.JSONEq(t, `{"result":"rejected","why":"no money"}`, a.text)
	r.arm(object{"kind": "fail", "status": 503, "count": 1})
	a = r.ask("POST", "/pay", `{"amount":0.50}`)
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "Internal Error", a.text)
	body, headers := payForm("P9")
	r.arm(object{"kind": "accept", "count": 1})
	a = r.ask("POST", "/pay", strings.Replace(body, "12.5", "0.25", 1), headers...)
	assert.Equal(t, 202, a.status)
	assert.Equal(t, "pending", a.object(t)["state"])
	assert.Equal(t, []int64{50}, r.debits())
}
