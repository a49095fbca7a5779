package reference_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func appealOf(t *testing.T, r *referencetest.Rig, merchant, body string) (code int, a reference.Appeal) {
	t.Helper()
	code, answer := r.Do(http.MethodPost, "/api/appeals", []byte(body), http.Header{"X-Merchant-Id": {merchant}})
	require.NoError(t, json.Unmarshal(answer, &a), "%s", answer)
	return code, a
}

func TestAppealTellsTheWholeChain(t *testing.T) {
	r := start(t, referencetest.Queue())
	paid := twice(t, r, "O", "B-second")
	r.Notify(notice("N1", paid.TradeNo, "SUCCESS"))
	r.Notify(notice("N2", "B-second", "SUCCESS"))
	r.Refund("O", "r1", 200)
	r.Pay(req{Order: "O", Key: r.Token("O"), Merchant: "M1", Trace: "T-again"})
	r.Until(func() bool {
		return r.Count("surplus", "status = 'RETURNED'") == 1 && r.Count("refund_notice", "1 = 1") == 2 && r.Count("coupon", "1 = 1") == 1
	}, "the chain has no end")
	r.Pay(req{Order: "O", Key: "anothers", Merchant: "M2", Trace: "T-other"})
	code, a := appealOf(t, r, "M1", `{"order_id":"O","at":"`+time.Now().Format(time.RFC3339)+`"}`)
	assert.Equal(t, 200, code)
	require.Len(t, a.Payments, 1)
	assert.Equal(t, reference.PartlyRefunded, a.Payments[0].Status)
	assert.Len(t, a.Trades, 2)
	assert.Len(t, a.Callbacks, 2)
	assert.Len(t, a.Refunds, 2)
	assert.Len(t, a.Surplus, 1)
	assert.Len(t, a.Events, 3)
	assert.Len(t, a.Effects, 4)
	assert.Len(t, a.Alarms, 1)
	steps := map[string]bool{}
	for _, step := range a.Steps {
		steps[step.Step] = true
		assert.NotEqual(t, "T-other", step.TraceID, "another merchant's")
	}
	for _, step := range []string{"pay.precreate", "pay.submit", "db.update", "bank.call", "bank.response", "pay.answer", "callback.receive", "alarm", "refund.submit", "bank.refund", "refund.answer", "consume.coupon"} {
		assert.True(t, steps[step], "no step %s in %v", step, steps)
	}
	_, old := appealOf(t, r, "M1", `{"order_id":"O","at":"2020-01-01T00:00:00Z"}`)
	assert.Empty(t, old.Steps)
	assert.Len(t, old.Payments, 1)
}

func TestAppealIsForOneMerchant(t *testing.T) {
	r := start(t)
	r.PayNew("O")
	r.Refund("O", "r1", 1)
	for name, c := range map[string]struct {
		merchant, body string
		http           int
	}{
		"of another merchant": {"M2", `{"order_id":"O"}`, 404},
		"no such order":       {"M1", `{"order_id":"P"}`, 404},
		"no order":            {"M1", `{}`, 400},
		"no merchant":         {"", `{"order_id":"O"}`, 400},
		"no time":             {"M1", `{"order_id":"O","at":"yesterday"}`, 400},
	} {
		code, a := appealOf(t, r, c.merchant, c.body)
		assert.Equal(t, c.http, code, name)
		assert.Empty(t, a.Payments, name)
	}
}
