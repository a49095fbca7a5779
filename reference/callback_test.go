package reference_test

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestSignVector(t *testing.T) {
	assert.Equal(t, "a438e398bfafc57e4396bb7fc2304422f0f768e965d073ca313cb52e22e6ad03", hex.EncodeToString(reference.Sign("key", "1700000000", []byte(`{"a":1}`))))
}

func TestCallbackBeforeTheAnswer(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(quiet))
	number, answer := begin(t, r, req{Order: "O", Key: r.Token("O")}, release)
	assert.Equal(t, 200, r.Notify(notice("N1", number, "SUCCESS")))
	assert.Equal(t, reference.Success, r.Order("O").Status)
	close(release)
	assert.Equal(t, 200, referencetest.Next(t, answer).HTTP)
	assert.Contains(t, r.Log.String(), "[UNCHANGED]")
	assert.Equal(t, reference.Success, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
}

func TestCallbackRepeats(t *testing.T) {
	r := start(t)
	paid := r.PayNew("O")
	for _, id := range []string{"N1", "N1", "N2", "N2", "N3"} {
		assert.Equal(t, 200, r.Notify(notice(id, paid.TradeNo, "SUCCESS")), id)
	}
	assert.Equal(t, 3, r.Count("callback", "result = 'SUCCESS'"))
	assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"), "twins with two ids are one fact")
	assert.Equal(t, 2, strings.Count(r.Log.String(), "[callback.receive] [SKIP_DUPLICATE]"))
	assert.Zero(t, r.Count("alarm", "1 = 1"))
}

func TestHundredCallbacksAtOnce(t *testing.T) {
	r := start(t)
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	accepted := r.PayNew("O")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { assert.Equal(t, 200, r.Notify(notice("N1", accepted.TradeNo, "SUCCESS"))) })
	}
	all.Wait()
	assert.Equal(t, reference.Success, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("callback", "1 = 1"))
	assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
}

func TestLateFailIsAnAlarm(t *testing.T) {
	r := start(t)
	paid := r.PayNew("O")
	assert.Equal(t, 200, r.Notify(notice("N1", paid.TradeNo, "FAILED")))
	assert.Equal(t, reference.Success, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'late-fail' AND order_id = 'O'"))
	assert.Contains(t, r.Log.String(), "[alarm] [SUCCESS] [late-fail")
}

func TestFailThenSuccess(t *testing.T) {
	r := start(t)
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	accepted := r.PayNew("O")
	assert.Equal(t, 200, r.Notify(notice("N1", accepted.TradeNo, "FAILED")))
	assert.Equal(t, reference.Failed, r.Order("O").Status)
	assert.Equal(t, 200, r.Notify(notice("N2", accepted.TradeNo, "SUCCESS")))
	assert.Equal(t, reference.Success, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
}

func TestCallbackThatIsNotTheBanks(t *testing.T) {
	r := start(t)
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	number := r.PayNew("O").TradeNo
	body := []byte(`{"notification_id":"N1","trade_no":"` + number + `","status":"SUCCESS","amount":500,"currency":"CNY"}`)
	now := time.Now()
	assert.Equal(t, 401, r.NotifyRaw(body, now, "guess"), "bad signature")
	assert.Equal(t, 401, r.NotifyRaw(body, now.Add(-11*time.Minute), referencetest.Secret), "old")
	assert.Equal(t, 401, r.NotifyRaw(body, now.Add(11*time.Minute), referencetest.Secret), "from the future")
	for name, header := range map[string]http.Header{
		"no headers":   {},
		"no signature": {"X-Bank-Timestamp": {"1"}},
		"not hex":      {"X-Bank-Timestamp": {"1"}, "X-Bank-Signature": {"zz"}},
		"no number":    {"X-Bank-Timestamp": {"now"}, "X-Bank-Signature": {""}},
	} {
		code, _ := r.Do(http.MethodPost, "/api/payment/callback", body, header)
		assert.Equal(t, 401, code, name)
	}
	assert.Equal(t, 400, r.NotifyRaw([]byte(`{`), now, referencetest.Secret))
	assert.Equal(t, 400, r.NotifyRaw([]byte(`{"notification_id":"N1"}`), now, referencetest.Secret))
	assert.Equal(t, 400, r.NotifyRaw(append(bytes.Repeat([]byte(" "), 64<<10+1-len(body)), body...), now, referencetest.Secret))
	assert.Equal(t, reference.Processing, r.Order("O").Status)
	assert.Zero(t, r.Count("callback", "1 = 1"))
	assert.Equal(t, 200, r.NotifyRaw(body, now, referencetest.Secret), "the true one still works")
	assert.Equal(t, reference.Success, r.Order("O").Status)
}

func TestCallbackThatChangesNothing(t *testing.T) {
	r := start(t, with(quiet))
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	number := r.PayNew("O").TradeNo
	refund := notice("N-refund", number, "SUCCESS")
	refund.RefundNo = "R1"
	wrong := notice("N-wrong", number, "SUCCESS")
	wrong.Amount = 1
	for result, n := range map[string]reference.Notification{
		"parked": notice("N-stranger", "B404", "SUCCESS"), "ignored": notice("N-created", number, "CREATED"),
	} {
		assert.Equal(t, 200, r.Notify(n), result)
		assert.Equal(t, 1, r.Count("callback", "notification_id = ? AND result = ?", n.ID, result), result)
	}
	assert.Equal(t, 200, r.Notify(refund))
	for range 2 {
		assert.Equal(t, 200, r.Notify(wrong))
	}
	assert.Equal(t, reference.Processing, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'mismatch'"))
	assert.Zero(t, r.Count("callback", "notification_id = ?", wrong.ID))
	wrong.Amount = notice("", "", "").Amount
	assert.Equal(t, 200, r.Notify(wrong))
	assert.Equal(t, reference.Success, r.Order("O").Status, "what was refused has not taken the id of the true one")
}

func TestCallbackIsRefusedWhereItCannotBeStored(t *testing.T) {
	r := start(t)
	number := r.PayNew("O").TradeNo
	_, err := r.Service.Store.Exec(t.Context(), `ALTER TABLE callback RENAME TO callback_gone`)
	assert.NoError(t, err)
	assert.Equal(t, 500, r.Notify(notice("N1", number, "SUCCESS")), "the bank must send it again")
	_, err = r.Service.Store.Exec(t.Context(), `ALTER TABLE callback_gone RENAME TO callback`)
	assert.NoError(t, err)
	assert.Equal(t, 200, r.Notify(notice("N1", number, "SUCCESS")))
	assert.Equal(t, 1, r.Count("callback", "1 = 1"))
}
