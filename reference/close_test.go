package reference_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestCloseByState(t *testing.T) {
	r := start(t, with(quiet))
	insert(t, r, reference.Payment{OrderID: "PENDING", Status: reference.Pending})
	insert(t, r, reference.Payment{OrderID: "UNSENT", Status: reference.Processing, TradeNo: "B1"}, "B1")
	insert(t, r, reference.Payment{OrderID: "UNKNOWN", Status: reference.Unknown, TradeNo: "B2"}, "B2")
	insert(t, r, reference.Payment{OrderID: "DEBITED", Status: reference.Unknown, TradeNo: "B3"}, "B3")
	insert(t, r, reference.Payment{OrderID: "DECLINED", Status: reference.Unknown, TradeNo: "B4"}, "B4")
	insert(t, r, reference.Payment{OrderID: "ACCEPTED", Status: reference.Processing, TradeNo: "B5"}, "B5")
	insert(t, r, reference.Payment{OrderID: "FAILED", Status: reference.Failed})
	for number, status := range map[string]string{"B3": "SUCCESS", "B4": "FAILED", "B5": "PROCESSING"} {
		r.Bank.Put(reference.Order{TradeNo: number, Amount: 500, Currency: "CNY"}, status)
	}
	r.PayNew("PAID")
	for order, want := range map[string]struct {
		http   int
		code   string
		status reference.Status
	}{
		"PENDING":  {200, reference.CodeClosed, reference.Closed},
		"UNSENT":   {200, reference.CodeClosed, reference.Closed},
		"UNKNOWN":  {200, reference.CodeClosed, reference.Closed},
		"DEBITED":  {409, reference.CodeNotClosed, reference.Success},
		"DECLINED": {200, reference.CodeDeclined, reference.Failed},
		"ACCEPTED": {202, reference.CodeProcessing, reference.Processing},
		"FAILED":   {200, reference.CodeDeclined, reference.Failed},
		"PAID":     {409, reference.CodeNotClosed, reference.Success},
	} {
		for range 2 { // the second time changes nothing
			got := r.CloseOrder(order)
			assert.Equal(t, want.http, got.HTTP, order)
			assert.Equal(t, want.code, got.Code, order)
			assert.Equal(t, want.status, got.Status, order)
			assert.Equal(t, want.status, r.Order(order).Status, order)
		}
	}
	assert.Equal(t, 404, r.CloseOrder("NONE").HTTP)
	assert.Equal(t, 410, r.PayNew("UNSENT").HTTP, "a closed order is not paid any more")
	assert.Equal(t, []string{"B3"}, r.Bank.Debits(""))
}

// The debit is on its way while the order is closed: the bank refuses whichever comes second.
func TestCloseAgainstADebitOnItsWay(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	r := start(t, with(quiet))
	r.Bank.Act(func(op string, _ int, _ string) act {
		if op != referencetest.Debit {
			return act{}
		}
		close(arrived)
		return act{Before: release}
	})
	answers, key := make(chan reference.Answer, 1), r.Token("O")
	go func() { answers <- r.Pay(req{Order: "O", Key: key}) }()
	referencetest.Next(t, arrived)
	assert.Equal(t, reference.Closed, r.CloseOrder("O").Status)
	close(release)
	assert.Equal(t, reference.Closed, referencetest.Next(t, answers).Status)
	assert.Empty(t, r.Bank.Debits("A-O"))
}

func TestCloseIsFinishedByTheReconciler(t *testing.T) {
	r := start(t, with(func(c *reference.Config) { c.ReconcileProcessingAfter = reference.Duration(time.Hour) }))
	insert(t, r, reference.Payment{OrderID: "O", Status: reference.Processing, TradeNo: "B1"}, "B1")
	r.Bank.Act(on(referencetest.Close, 1, act{Refuse: true}))
	openOrMended(t, r.CloseOrder("O"))
	r.Becomes("O", reference.Closed)
	assert.Zero(t, r.Bank.Calls(referencetest.Debit))
}

func TestExpiryAsksTheBank(t *testing.T) {
	soon := with(func(c *reference.Config) { c.OrderTTL = reference.Duration(300 * time.Millisecond) })
	t.Run("nothing debited", func(t *testing.T) {
		r := start(t, soon, with(func(c *reference.Config) { c.Breaker.Failures = 1000 }))
		r.Bank.Act(always(referencetest.Debit, act{Refuse: true}))
		r.PayNew("O")
		assert.Equal(t, "EXPIRED", r.Becomes("O", reference.Closed).Reason)
		assert.Empty(t, r.Bank.Debits("A-O"))
		for _, trade := range r.Bank.Trades("") {
			assert.Equal(t, "CLOSED", trade.Status)
		}
		assert.Zero(t, r.Count("outbox_event", "1 = 1"))
	})
	t.Run("debited, and nobody has said so", func(t *testing.T) {
		r := start(t, soon, with(func(c *reference.Config) { c.ReconcileUnknownAfter = reference.Duration(500 * time.Millisecond) }))
		r.Bank.Act(always(referencetest.Debit, act{Drop: true}))
		r.PayNew("O")
		r.Becomes("O", reference.Success)
		assert.Len(t, r.Bank.Debits("A-O"), 1)
	})
}

func TestClockOffsetLetsAnOrderExpire(t *testing.T) {
	r := start(t, with(quiet))
	r.Bank.Act(always(referencetest.Debit, act{Refuse: true}))
	r.PayNew("O")
	r.Stop()
	r.Config.ClockOffset = reference.Duration(25 * time.Hour)
	r.Start()
	r.Becomes("O", reference.Closed)
	var created int64
	require.NoError(t, r.Service.Store.Get(t.Context(), &created, `SELECT updated_at FROM pay_transaction WHERE order_id = 'O'`))
	assert.Greater(t, created, time.Now().Add(24*time.Hour).UnixMilli())
}
