package reference_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

// pair runs two instances on one database, cache, queue and bank.
func pair(t *testing.T, options ...referencetest.Option) (one, two *referencetest.Rig) {
	t.Helper()
	one = start(t, options...)
	two = referencetest.Setup(t)
	two.Bank, two.Cache, two.Config = one.Bank, one.Cache, one.Config
	two.Config.Instance = "2"
	two.Start()
	return one, two
}

// Everybody asks both instances at once, the bank answers badly, and both reconcile and relay.
func TestTwoInstancesAreAsRightAsOne(t *testing.T) {
	one, two := pair(t, referencetest.Queue(), with(func(c *reference.Config) {
		c.ReconcileProcessingAfter, c.Breaker.Failures = reference.Duration(50*time.Millisecond), 1000
		c.SessionTimeout = reference.Duration(time.Minute) // a claim outlives a slow machine
	}))
	troubled := func(op string, n int, _ string) act {
		if op != referencetest.Debit && op != referencetest.Refund {
			return act{}
		}
		return []act{{}, {Drop: true}, {Refuse: true}, {Garble: "<html>"}}[n%4]
	}
	one.Bank.Act(troubled)
	const orders = 16
	var all sync.WaitGroup
	for i := range orders {
		order := fmt.Sprint("O", i)
		keys := [2]string{one.Token(order), two.Token(order)}
		for j, r := range []*referencetest.Rig{one, two} {
			all.Go(func() { r.Pay(req{Order: order, Key: keys[j]}) })
		}
	}
	all.Wait()
	one.Until(func() bool { return one.Count("pay_transaction", "status = 'SUCCESS'") == orders }, "not all are paid")
	for i := range orders {
		for _, r := range []*referencetest.Rig{one, two} {
			all.Go(func() { r.Refund(fmt.Sprint("O", i), fmt.Sprint("r", i), 500) })
		}
	}
	all.Wait()
	one.Until(func() bool { return one.Count("pay_transaction", "status = 'REFUNDED'") == orders }, "not all are refunded")
	one.Until(func() bool { return one.Count("outbox_event", "sent_at IS NULL") == 0 }, "not all is told")
	one.Until(func() bool { return one.Count("consumed_event", "1 = 1") == 4*orders }, "not all is consumed")
	for i := range orders {
		numbers := one.Bank.Debits(fmt.Sprint("A-O", i))
		require.Len(t, numbers, 1, "order %d", i)
		assert.Len(t, one.Bank.Refunds(numbers[0]), 1, "order %d", i)
	}
	assert.Equal(t, orders, one.Count("pay_transaction", "1 = 1"))
	assert.Equal(t, orders, one.Count("refund", "1 = 1"))
	for _, effect := range []string{"membership", "coupon", "refund_notice"} {
		assert.Equal(t, orders, one.Count(effect, "1 = 1"), effect)
	}
	published := strings.Count(one.Log.String()+two.Log.String(), "[outbox.publish] [SUCCESS]")
	assert.Equal(t, 2*orders, published, "each event by one of the relays")
	assert.Zero(t, one.Count("surplus", "1 = 1"))
}

// What is left behind goes to one of those who reach for it.
func TestClaims(t *testing.T) {
	one, two := pair(t, with(quiet))
	both := [2]*reference.Service{one.Service, two.Service}
	one.PayNew("PAID")
	for range 10 {
		insert(t, one, reference.Payment{OrderID: "O", ID: "P-O", Status: reference.Pending})
		p, err := reference.PaymentByID(t.Context(), one.Service.Store, "P-O")
		require.NoError(t, err)
		f := both[0].NewRefund(reference.RefundRequest{OrderID: "PAID", RefundID: "r1", Amount: 1, Merchant: "M1"}, one.Rows("PAID")[0])
		f.UpdatedAt--
		require.NoError(t, one.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error { return tx.InsertRefund(t.Context(), f) }))
		p.UpdatedAt -= 1000
		_, err = one.Service.Store.Exec(t.Context(), `UPDATE pay_transaction SET updated_at = ? WHERE id = ?`, p.UpdatedAt, p.ID)
		require.NoError(t, err)
		_, err = one.Service.Store.Exec(t.Context(), `UPDATE outbox_event SET claimed_until = 0`)
		require.NoError(t, err)
		var payments, refunds, events atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			s := both[i%2]
			all.Go(func() {
				mine := p
				if won, err := s.Parts.TakeUp(t.Context(), s, &mine); assert.NoError(t, err) && won {
					payments.Add(1)
				}
				back := f
				if won, err := s.Parts.TakeUpRefund(t.Context(), s, &back); assert.NoError(t, err) && won {
					refunds.Add(1)
				}
				claimed, err := s.Parts.TakeEvents(t.Context(), s)
				assert.NoError(t, err)
				events.Add(int32(len(claimed)))
			})
		}
		all.Wait()
		assert.Equal(t, [3]int32{1, 1, 1}, [3]int32{payments.Load(), refunds.Load(), events.Load()})
		for _, table := range []string{"pay_transaction WHERE id = 'P-O'", "refund"} {
			_, err = one.Service.Store.Exec(t.Context(), "DELETE FROM "+table)
			require.NoError(t, err)
		}
	}
}

// A relay that died with events in its hands keeps them from nobody for long.
func TestClaimOfADeadRelayEnds(t *testing.T) {
	r := start(t) // no broker, so no relay of its own
	r.PayNew("O")
	_, err := r.Service.Store.Exec(t.Context(), `UPDATE outbox_event SET claimed_by = 'dead', claimed_until = ?`, time.Now().Add(time.Minute).UnixMilli())
	require.NoError(t, err)
	events, err := r.Service.Parts.TakeEvents(t.Context(), r.Service)
	require.NoError(t, err)
	assert.Empty(t, events, "it may still be alive")
	_, err = r.Service.Store.Exec(t.Context(), `UPDATE outbox_event SET claimed_until = ?`, time.Now().UnixMilli())
	require.NoError(t, err)
	events, err = r.Service.Parts.TakeEvents(t.Context(), r.Service)
	require.NoError(t, err)
	assert.Len(t, events, 1)
}
