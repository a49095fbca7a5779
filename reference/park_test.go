package reference_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func parked(r *referencetest.Rig, state string) func() bool {
	return func() bool { return r.Count("parked_callback", "state = ?", state) == 1 }
}

func TestEarlyNotificationIsNotLost(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(time.Hour) }))
	early := notice("N1", "B1", "SUCCESS")
	assert.Equal(t, 200, r.Notify(early))
	assert.Equal(t, 200, r.Notify(early), "again")
	assert.Equal(t, 1, r.Count("parked_callback", "state = 'WAITING'"))
	insert(t, r, reference.Payment{OrderID: "O", Status: reference.Processing, TradeNo: "B1"}, "B1")
	r.Becomes("O", reference.Success)
	r.Until(parked(r, reference.ParkedResolved), "still parked")
	assert.Equal(t, 1, r.Count("callback", "notification_id = 'N1' AND result = 'SUCCESS'"))
	assert.Equal(t, 1, r.Count("outbox_event", "1 = 1"))
}

func TestStrangersAreAskedAbout(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(20 * time.Millisecond) }))
	for state, number := range map[string]string{reference.ParkedForeign: "B-nobody", reference.ParkedOrphan: "B-bank"} {
		r.Bank.Put(reference.Order{TradeNo: "B-bank", Amount: 500, Currency: "CNY"}, "SUCCESS")
		assert.Equal(t, 200, r.Notify(notice("N-"+number, number, "SUCCESS")))
		r.Until(parked(r, state), "not %s", state)
	}
	refund := notice("N-refund", "B-bank", "SUCCESS")
	refund.RefundNo = "R-nobody"
	assert.Equal(t, 200, r.Notify(refund))
	r.Until(func() bool { return r.Count("parked_callback", "state = 'FOREIGN'") == 2 }, "the refund is still parked")
	assert.Equal(t, 1, r.Count("alarm", "kind = 'unknown-trade' AND order_id = ''"))
	assert.Empty(t, r.Bank.Refunds("B-bank"), "it may be another's money")
}

func TestParkedWaitsWhileTheBankIsSilent(t *testing.T) {
	r := start(t, with(func(c *reference.Config) {
		c.ReconcileProcessingAfter, c.Breaker.Failures = reference.Duration(20*time.Millisecond), 1000
	}))
	r.Bank.Act(always(referencetest.Query, act{Refuse: true}))
	assert.Equal(t, 200, r.Notify(notice("N1", "B1", "SUCCESS")))
	r.Until(func() bool { return r.Bank.Calls(referencetest.Query) >= 3 }, "nobody asks")
	assert.True(t, parked(r, reference.ParkedWaiting)())
	r.Bank.Act(func(string, int, string) act { return act{} })
	r.Until(parked(r, reference.ParkedForeign), "still waiting")
}

func TestNotificationOfAnotherMerchant(t *testing.T) {
	r := start(t, with(quiet))
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	number := r.PayNew("O").TradeNo
	n := notice("N1", number, "SUCCESS")
	n.Merchant = "M2"
	assert.Equal(t, 200, r.Notify(n))
	assert.Equal(t, reference.Processing, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'mismatch' AND order_id = 'O'"))
	n.ID, n.Merchant = "N2", "M1"
	assert.Equal(t, 200, r.Notify(n))
	assert.Equal(t, reference.Success, r.Order("O").Status)
}

func TestRefusedNotificationsAreAlarms(t *testing.T) {
	r := start(t, with(quiet))
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	number := r.PayNew("O").TradeNo
	body := []byte(`{"notification_id":"N1","trade_no":"` + number + `","status":"SUCCESS","amount":500,"currency":"CNY"}`)
	for range 3 {
		assert.Equal(t, 401, r.NotifyRaw(body, time.Now(), "guess"))
		assert.Equal(t, 401, r.NotifyRaw(body, time.Now().Add(-6*time.Minute), referencetest.Secret))
		assert.Equal(t, 401, r.NotifyRaw([]byte("\x00 anything"), time.Now(), "guess"))
	}
	assert.Equal(t, 1, r.Count("alarm", "kind = 'forged' AND order_id = 'O'"))
	assert.Equal(t, 1, r.Count("alarm", "kind = 'stale' AND order_id = 'O'"))
	assert.Equal(t, 1, r.Count("alarm", "kind = 'forged' AND order_id = ''"))
	assert.Zero(t, r.Count("callback", "1 = 1"))
	require.Equal(t, reference.Processing, r.Order("O").Status)
	assert.Equal(t, 200, r.NotifyRaw(body, time.Now().Add(-4*time.Minute), referencetest.Secret), "fresh enough")
}
