package reference_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestPayAndReplay(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	first := r.Pay(req{Order: "O", Key: key, Trace: "T1"})
	assert.Equal(t, http.StatusOK, first.HTTP)
	assert.Equal(t, reference.Success, first.Status)
	assert.False(t, first.Replayed)
	assert.Equal(t, "T1", first.TraceID)
	assert.Equal(t, int64(500), first.Amount)

	for name, again := range map[string]req{
		"same key, other trace": {Order: "O", Key: key, Trace: "T2"},
		"other key":             {Order: "O", Key: r.Token("O")},
	} {
		answer := r.Pay(again)
		assert.Equal(t, http.StatusOK, answer.HTTP, name)
		assert.True(t, answer.Replayed, name)
		assert.Equal(t, first.PaymentID, answer.PaymentID, name)
		assert.Equal(t, first.TradeNo, answer.TradeNo, name)
	}
	r.Cache.FlushAll()
	assert.True(t, r.Pay(req{Order: "O", Key: key}).Replayed, "without the cache's memory")
	assert.Equal(t, []string{first.TradeNo}, r.Bank.Debits("A-O"))
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
	assert.Equal(t, 1, r.Count("outbox_event", "event_id = ?", "pay.success:"+first.PaymentID))
}

func TestPayIllegal(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	good := `{"order_id":"O","channel":"WECHAT","amount":500,"currency":"CNY","account":"A-O"}`
	change := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, c := range map[string]struct {
		body, key, merchant string
		http                int
		code                string
	}{
		"no key":              {good, "", "M1", 400, reference.CodeNoKey},
		"key never issued":    {good, "made-up", "M1", 400, reference.CodeKeyUnknown},
		"key of another":      {good, key, "M2", 400, reference.CodeKeyUnknown},
		"key of other order":  {change(`"O"`, `"P"`), key, "M1", 400, reference.CodeKeyUnknown},
		"key with spaces":     {good, "a b", "M1", 400, reference.CodeBadRequest},
		"key too long":        {good, strings.Repeat("k", 129), "M1", 400, reference.CodeBadRequest},
		"no merchant":         {good, key, "", 400, reference.CodeBadRequest},
		"not JSON":            {"pay", key, "M1", 400, reference.CodeBadRequest},
		"two values":          {good + good, key, "M1", 400, reference.CodeBadRequest},
		"fraction":            {change("500", "5.5"), key, "M1", 400, reference.CodeBadRequest},
		"text amount":         {change("500", `"500"`), key, "M1", 400, reference.CodeBadRequest},
		"nothing":             {change("500", "0"), key, "M1", 400, reference.CodeBadRequest},
		"negative":            {change("500", "-500"), key, "M1", 400, reference.CodeBadRequest},
		"beyond integers":     {change("500", "92233720368547758080"), key, "M1", 400, reference.CodeBadRequest},
		"unknown channel":     {change("WECHAT", "CASH"), key, "M1", 400, reference.CodeBadRequest},
		"lower-case currency": {change("CNY", "cny"), key, "M1", 400, reference.CodeBadRequest},
		"order breaks a line": {change(`"O"`, `"O\nP"`), key, "M1", 400, reference.CodeBadRequest},
		"no account":          {change(`"A-O"`, `""`), key, "M1", 400, reference.CodeBadRequest},
		"endless":             {good + strings.Repeat(" ", 64<<10+1-len(good)), key, "M1", 400, reference.CodeBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{"X-Merchant-Id": {c.merchant}, "X-Idempotency-Key": {c.key}}
			code, body := r.Do(http.MethodPost, "/api/payment/pay", []byte(c.body), header)
			assert.Equal(t, c.http, code, "%s", body)
			assert.Contains(t, string(body), `"code":"`+c.code+`"`)
		})
	}
	assert.Zero(t, r.Bank.Calls(referencetest.Debit))
	code, body := r.Do(http.MethodPost, "/api/payment/pay", []byte(change("{", `{"device":"x",`)), http.Header{"X-Merchant-Id": {"M1"}, "X-Idempotency-Key": {key}})
	assert.Equal(t, 200, code, "a cosmetic field: %s", body)
}

func TestMerchantsMayBeNamed(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.Merchants = []string{referencetest.Merchant} }))
	key := r.Token("O")
	assert.Equal(t, 400, r.Pay(req{Order: "O", Key: key, Merchant: "M2"}).HTTP)
	assert.Equal(t, 200, r.Pay(req{Order: "O", Key: key}).HTTP)
}

func TestConflict(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	r.Pay(req{Order: "O", Key: key})
	for name, other := range map[string]req{
		"same key, other amount":    {Order: "O", Key: key, Amount: 900},
		"same key, other currency":  {Order: "O", Key: key, Currency: "USD"},
		"same key, other account":   {Order: "O", Key: key, Account: "A-X"},
		"same key, other channel":   {Order: "O", Key: key, Channel: "BANK"},
		"same key, other order":     {Order: "X", Key: key},
		"same order, other amount":  {Order: "O", Key: r.Token("O"), Amount: 900},
		"same order, other channel": {Order: "O", Key: r.Token("O"), Channel: "BANK"},
	} {
		answer := r.Pay(other)
		assert.Equal(t, http.StatusUnprocessableEntity, answer.HTTP, name)
		assert.Equal(t, reference.CodeConflict, answer.Code, name)
	}
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
	assert.Equal(t, 1, r.Count("pay_transaction", "1 = 1"))
}

func TestConflictWhileRunning(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(quiet))
	key := r.Token("O")
	_, answer := begin(t, r, req{Order: "O", Key: key}, release)
	assert.Equal(t, 422, r.Pay(req{Order: "O", Key: key, Amount: 900}).HTTP)
	close(release)
	assert.Equal(t, int64(500), referencetest.Next(t, answer).Amount)
}

func TestTwoMerchantsMayUseTheSameOrderNumber(t *testing.T) {
	r := start(t)
	assert.Equal(t, 200, r.PayNew("O").HTTP)
	assert.NoError(t, r.Cache.Set(reference.TokenKey("M2", "K2"), "O"))
	other := r.Pay(req{Order: "O", Key: "K2", Merchant: "M2", Amount: 900})
	assert.Equal(t, 200, other.HTTP)
	assert.False(t, other.Replayed)
}

func TestDeclineThenNewAttempt(t *testing.T) {
	r := start(t)
	r.Bank.Act(on(referencetest.Debit, 1, act{Decline: "INSUFFICIENT_FUNDS"}))
	key := r.Token("O")
	declined := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusPaymentRequired, declined.HTTP)
	assert.Equal(t, reference.CodeDeclined, declined.Code)
	assert.Equal(t, "INSUFFICIENT_FUNDS", declined.Message)

	again := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusPaymentRequired, again.HTTP, "the same key keeps its end")
	assert.True(t, again.Replayed)

	paid := r.PayNew("O")
	assert.Equal(t, http.StatusOK, paid.HTTP)
	assert.NotEqual(t, declined.PaymentID, paid.PaymentID)
	rows := r.Rows("O")
	assert.Len(t, rows, 2)
	assert.Equal(t, 2, rows[1].Attempt)
	assert.Equal(t, reference.Success, r.Order("O").Status, "the order is what its live row is")
	assert.True(t, r.PayNew("O").Replayed)
}

func TestRiskRefusesAfterIdempotency(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.MaxAmount = 500 }))
	key := r.Token("O")
	refused := r.Pay(req{Order: "O", Key: key, Amount: 501})
	assert.Equal(t, http.StatusPaymentRequired, refused.HTTP)
	assert.Equal(t, "AMOUNT_LIMIT", refused.Message)
	assert.False(t, r.Cache.Exists(reference.ClaimKey("M1", key)), "nothing can have been debited")
	assert.True(t, r.Pay(req{Order: "O", Key: key, Amount: 501}).Replayed)
	assert.Equal(t, 422, r.Pay(req{Order: "O", Key: key, Amount: 500}).HTTP)
	assert.Zero(t, r.Bank.Calls(referencetest.Debit))
	assert.Equal(t, 200, r.PayNew("O").HTTP)
}

func TestFiftyAtOnce(t *testing.T) {
	for name, fresh := range map[string]bool{"one key": false, "a key per click": true} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			key := r.Token("O")
			requests := make([]req, 50)
			for i := range requests {
				requests[i] = req{Order: "O", Key: key, Trace: fmt.Sprintf("T%d", i)}
				if fresh {
					requests[i].Key = r.Token("O")
				}
			}
			for _, answer := range r.Together(requests...) {
				assert.Contains(t, []int{200, 202, 409}, answer.HTTP, "%+v", answer)
				assert.NotEqual(t, reference.Failed, answer.Status)
			}
			r.Becomes("O", reference.Success)
			assert.Len(t, r.Rows("O"), 1)
			assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
		})
	}
}

func TestFiftyOrdersAtOnce(t *testing.T) {
	r := start(t, with(quiet))
	requests := make([]req, 50)
	for i := range requests {
		order := fmt.Sprintf("O%d", i)
		requests[i] = req{Order: order, Key: r.Token(order)}
	}
	for _, answer := range r.Together(requests...) {
		assert.Equal(t, 200, answer.HTTP, "%+v", answer)
	}
	assert.Equal(t, 50, r.Count("pay_transaction", "status = 'SUCCESS'"))
}

func TestRepeatWhileRunning(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(quiet), with(brief))
	r.Bank.Act(on(referencetest.Debit, 1, act{Hold: release}))
	key := r.Token("O")
	first := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusAccepted, first.HTTP, "service_timeout")
	assert.Equal(t, reference.Processing, first.Status)

	same := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusConflict, same.HTTP)
	assert.Equal(t, reference.CodeRepeat, same.Code)
	assert.Equal(t, reference.Processing, same.Status)
	other := r.PayNew("O")
	assert.Equal(t, http.StatusAccepted, other.HTTP)
	assert.Equal(t, first.PaymentID, other.PaymentID)

	close(release)
	r.Becomes("O", reference.Success)
	assert.Equal(t, 200, r.Pay(req{Order: "O", Key: key}).HTTP)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
}

func TestGatewayGivesUpAndTheRequestGoesOn(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(quiet), with(func(c *reference.Config) { c.GatewayTimeout = reference.Duration(time.Second) }))
	r.Bank.Act(on(referencetest.Debit, 1, act{Hold: release}))
	key := r.Token("O")
	code, body := r.Do(http.MethodPost, "/api/payment/pay", []byte(`{"order_id":"O","channel":"WECHAT","amount":500,"currency":"CNY","account":"A-O"}`),
		http.Header{"X-Merchant-Id": {"M1"}, "X-Idempotency-Key": {key}})
	assert.Equal(t, http.StatusGatewayTimeout, code)
	assert.Contains(t, string(body), reference.CodeGateway)
	assert.Equal(t, http.StatusConflict, r.Pay(req{Order: "O", Key: key}).HTTP)
	close(release)
	r.Becomes("O", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Debit))
}

func TestCacheAwayMeansNothingIsDone(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	r.Cache.SetError("LOADING")
	busy := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusServiceUnavailable, busy.HTTP)
	assert.Equal(t, reference.CodeBusy, busy.Code)
	assert.Empty(t, r.Rows("O"))
	code, _ := r.Do(http.MethodGet, "/readyz", nil, http.Header{})
	assert.Equal(t, http.StatusServiceUnavailable, code)
	r.Cache.SetError("")
	assert.Equal(t, 200, r.Pay(req{Order: "O", Key: key}).HTTP)
}

func TestClaimOfADeadProcessIsTakenOver(t *testing.T) {
	r := start(t)
	key := r.Token("O")
	claim := reference.ClaimKey("M1", key)
	row := r.Parts.Fingerprint(reference.PayRequest{OrderID: "O", Channel: "WECHAT", Amount: 500, Currency: "CNY", Account: "A-O"})
	assert.NoError(t, r.Cache.Set(claim, row+".Pdead"))
	r.Cache.SetTTL(claim, r.Config.TokenTTL.Std())

	young := r.Pay(req{Order: "O", Key: key})
	assert.Equal(t, http.StatusConflict, young.HTTP)
	assert.Equal(t, reference.Pending, young.Status, "no row yet")
	assert.Equal(t, 422, r.Pay(req{Order: "O", Key: key, Amount: 900}).HTTP)

	r.Cache.FastForward(r.Config.ServiceTimeout.Std() + time.Second)
	assert.Equal(t, 200, r.Pay(req{Order: "O", Key: key}).HTTP)
}

func TestOrderOfNobody(t *testing.T) {
	r := start(t)
	answer := r.Order("O")
	assert.Equal(t, http.StatusNotFound, answer.HTTP)
	assert.Equal(t, reference.CodeNotFound, answer.Code)
	code, _ := r.Do(http.MethodGet, "/api/payment/orders/O", nil, http.Header{})
	assert.Equal(t, http.StatusBadRequest, code, "without a merchant")
}

func TestMetricsShowTheDistribution(t *testing.T) {
	r := start(t)
	r.PayNew("O")
	_, body := r.Do(http.MethodGet, "/metrics", nil, http.Header{})
	assert.Contains(t, string(body), `payment_rows{status="SUCCESS"} 1`)
	assert.Contains(t, string(body), `payment_rows{status="UNKNOWN"} 0`)
}

func TestCachePrefixKeepsTwoServicesApart(t *testing.T) {
	one := start(t, with(func(c *reference.Config) { c.CachePrefix = "one:" }))
	two := start(t, with(func(c *reference.Config) { c.CachePrefix, c.Cache = "two:", one.Config.Cache }))
	key := one.Token("O")
	assert.Equal(t, reference.CodeKeyUnknown, two.Pay(req{Order: "O", Key: key}).Code)
	assert.Equal(t, 200, one.Pay(req{Order: "O", Key: key}).HTTP)
	for _, name := range one.Cache.Keys() {
		assert.True(t, strings.HasPrefix(name, "one:"), name)
	}
}
