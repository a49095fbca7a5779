package reference_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func formOf(order, token string) url.Values {
	return url.Values{"order_id": {order}, "channel": {"WECHAT"}, "amount": {"500"}, "currency": {"CNY"}, "account": {"A-" + order}, "token": {token}}
}

func checkout(t *testing.T, r *referencetest.Rig, form url.Values) (a reference.Answer) {
	t.Helper()
	header := http.Header{"X-Merchant-Id": {"M1"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	code, body := r.Do(http.MethodPost, "/api/checkout/pay", []byte(form.Encode()), header)
	require.NoError(t, json.Unmarshal(body, &a), "%s", body)
	a.HTTP = code
	return a
}

func TestBothDoorsOfOneOrder(t *testing.T) {
	r := start(t)
	same := r.Token("O")
	var all sync.WaitGroup
	for i := range 16 {
		key := same
		if i%3 == 0 {
			key = r.Token("O")
		}
		all.Go(func() { r.Pay(req{Order: "O", Key: key}) })
		all.Go(func() { checkout(t, r, formOf("O", key)) })
	}
	all.Wait()
	r.Becomes("O", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
	assert.Equal(t, 1, r.Count("pay_transaction", "1 = 1"))
	paid, again := r.Pay(req{Order: "O", Key: same}), checkout(t, r, formOf("O", same))
	paid.TraceID, again.TraceID = "", ""
	assert.Equal(t, paid, again, "the same answer at both doors")
}

func TestCheckoutIllegal(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	for name, c := range map[string]struct {
		field, value string
		http         int
		code         string
	}{
		"no token":        {"token", "", 400, reference.CodeNoKey},
		"blank token":     {"token", " ", 400, reference.CodeBadRequest},
		"token made up":   {"token", "made-up", 400, reference.CodeKeyUnknown},
		"fraction":        {"amount", "5.00", 400, reference.CodeBadRequest},
		"exponent":        {"amount", "5e2", 400, reference.CodeBadRequest},
		"sign":            {"amount", "+500", 400, reference.CodeBadRequest},
		"octal":           {"amount", "0500", 400, reference.CodeBadRequest},
		"beyond integers": {"amount", strings.Repeat("9", 19), 400, reference.CodeBadRequest},
		"no order":        {"order_id", "", 400, reference.CodeBadRequest},
	} {
		form := formOf("O", key)
		form.Set(c.field, c.value)
		a := checkout(t, r, form)
		assert.Equal(t, c.http, a.HTTP, name)
		assert.Equal(t, c.code, a.Code, name)
	}
	assert.Zero(t, r.Bank.Calls(referencetest.Debit))
	assert.Equal(t, 200, checkout(t, r, formOf("O", key)).HTTP)
	other := formOf("O", key)
	other.Set("amount", "501")
	assert.Equal(t, 422, checkout(t, r, other).HTTP)
}
