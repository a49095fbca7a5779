package reference_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

// twice pays an order and has the bank debit it under a second number too, as a request does that comes late.
func twice(t *testing.T, r *referencetest.Rig, order, second string) reference.Answer {
	t.Helper()
	paid := r.PayNew(order)
	r.Bank.Put(reference.Order{TradeNo: second, Account: "A-" + order, Amount: 500, Currency: "CNY"}, "SUCCESS")
	p := r.Rows(order)[0]
	require.NoError(t, r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error {
		return tx.InsertTrade(t.Context(), p, second, time.Now().UnixMilli())
	}))
	return paid
}

func TestSurplusIsGivenBackOnce(t *testing.T) {
	r := start(t)
	paid := twice(t, r, "O", "B-second")
	var all sync.WaitGroup
	for _, id := range []string{"N1", "N1", "N2", "N3", "N4"} {
		all.Go(func() { assert.Equal(t, 200, r.Notify(notice(id, "B-second", "SUCCESS"))) })
	}
	all.Wait()
	r.Until(func() bool {
		return r.Count("surplus", "status = 'RETURNED' AND trade_no = 'B-second' AND amount = 500") == 1
	}, "not given back")
	given := r.Bank.Refunds("B-second")
	require.Len(t, given, 1)
	assert.Equal(t, int64(500), given[0].Order.Amount)
	assert.Empty(t, r.Bank.Refunds(paid.TradeNo))
	assert.Equal(t, 1, r.Count("alarm", "kind = 'surplus' AND order_id = 'O'"))
	assert.Equal(t, 1, r.Count("refund", "kind = 'SURPLUS' AND status = 'SUCCESS'"))
	assert.Equal(t, reference.Success, r.Order("O").Status, "the order stays paid")
	assert.Zero(t, r.Order("O").Refunded)
	assert.Equal(t, reference.Success, r.Refund("O", "r1", 500).Status, "all of it may still be refunded")
	assert.Equal(t, 1, r.Count("outbox_event", "type = 'pay.success'"))
	assert.Equal(t, 2, r.Count("outbox_event", "type = 'pay.refunded'"))
}

// Nobody tells of the second debit: it is found because its number never came to an end.
func TestSurplusIsFoundWithoutAWord(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(20 * time.Millisecond) }))
	twice(t, r, "O", "B-second")
	r.Until(func() bool { return r.Count("surplus", "status = 'RETURNED'") == 1 }, "not found")
	assert.Equal(t, reference.Success, r.Order("O").Status)
}

func TestLooseNumberWithoutMoneyIsClosed(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(20 * time.Millisecond) }))
	r.PayNew("O")
	p := r.Rows("O")[0]
	require.NoError(t, r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error { return tx.InsertTrade(t.Context(), p, "B-old", 1) }))
	r.Until(func() bool { return r.Count("bank_trade", "trade_no = 'B-old' AND status = 'CLOSED'") == 1 }, "left open")
	assert.Zero(t, r.Count("surplus", "1 = 1"))
	assert.Zero(t, r.Count("alarm", "1 = 1"))
}

func TestSurplusThatTheBankKeepsIsAnAlarm(t *testing.T) {
	r := start(t)
	twice(t, r, "O", "B-second")
	r.Bank.Act(always(referencetest.Refund, act{Decline: "NO"}))
	assert.Equal(t, 200, r.Notify(notice("N1", "B-second", "SUCCESS")))
	r.Until(func() bool { return r.Count("surplus", "status = 'KEPT'") == 1 }, "not tried")
	assert.Equal(t, 1, r.Count("alarm", "kind = 'surplus-kept' AND order_id = 'O'"))
}

// The bank says that it debited a number which it had closed: the order stays closed, and the money goes back.
func TestMoneyForAClosedOrderIsASurplus(t *testing.T) {
	r := start(t)
	insert(t, r, reference.Payment{OrderID: "O", Status: reference.Processing, TradeNo: "B1"}, "B1")
	require.Equal(t, reference.Closed, r.CloseOrder("O").Status)
	r.Bank.Set("B1", "SUCCESS")
	assert.Equal(t, 200, r.Notify(notice("N1", "B1", "SUCCESS")))
	r.Until(func() bool { return r.Count("surplus", "status = 'RETURNED'") == 1 }, "not given back")
	assert.Equal(t, reference.Closed, r.Order("O").Status)
	assert.Zero(t, r.Count("outbox_event", "type = 'pay.success'"))
}
