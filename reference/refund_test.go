package reference_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestRefundAndReplay(t *testing.T) {
	r := start(t)
	paid := r.PayNew("O")
	first := r.Refund("O", "r1", 200)
	assert.Equal(t, 200, first.HTTP)
	assert.Equal(t, reference.Success, first.Status)
	assert.Equal(t, int64(200), first.Amount)
	assert.Equal(t, "r1", first.RefundID)
	assert.False(t, first.Replayed)

	again := r.Refund("O", "r1", 200)
	assert.True(t, again.Replayed)
	assert.Equal(t, first.RefundNo, again.RefundNo)
	assert.Equal(t, reference.PartlyRefunded, r.Order("O").Status)
	assert.Equal(t, int64(200), r.Order("O").Refunded)

	assert.Equal(t, reference.Success, r.Refund("O", "r2", 300).Status)
	assert.Equal(t, reference.Refunded, r.Order("O").Status)
	assert.Len(t, r.Bank.Refunds(paid.TradeNo), 2)
	assert.Equal(t, 2, r.Bank.Calls(referencetest.Refund), "the repeat did not reach the bank")
	assert.Equal(t, 2, r.Count("outbox_event", "type = 'pay.refunded' AND order_id = 'O' AND ref IN ('r1', 'r2')"))
	assert.Equal(t, reference.CodeRefundExceeds, r.Refund("O", "r3", 1).Code, "a refunded payment is not refunded again")
	assert.True(t, r.PayNew("O").Replayed, "a refunded order is not paid again")
}

func TestRefundRefused(t *testing.T) {
	r := start(t, with(quiet), with(func(c *reference.Config) { c.Merchants = []string{"M1", "M2"} }))
	r.PayNew("O")
	r.Bank.Act(on(referencetest.Debit, 2, act{Decline: "POOR"}))
	r.PayNew("FAILED")
	r.Bank.Act(always(referencetest.Debit, act{Accept: true}))
	r.PayNew("PROCESSING")
	r.Bank.Act(func(string, int, string) act { return act{} })
	assert.Equal(t, reference.Success, r.Refund("O", "r1", 200).Status)
	for name, c := range map[string]struct {
		answer reference.Answer
		http   int
		code   string
	}{
		"same id, other amount": {r.Refund("O", "r1", 201), 422, reference.CodeConflict},
		"same id, other order":  {r.Refund("FAILED", "r1", 200), 422, reference.CodeConflict},
		"more than is left":     {r.Refund("O", "r2", 301), 409, reference.CodeRefundExceeds},
		"beyond any sum":        {r.Refund("O", "r3", 1<<62), 409, reference.CodeRefundExceeds},
		"not paid":              {r.Refund("FAILED", "r4", 1), 409, reference.CodeNotRefundable},
		"not paid as yet":       {r.Refund("PROCESSING", "r5", 1), 409, reference.CodeNotRefundable},
		"no such order":         {r.Refund("NONE", "r6", 1), 404, reference.CodeNotFound},
		"of another merchant":   {r.RefundBy("M2", "O", "r7", 1), 404, reference.CodeNotFound},
		"no merchant of ours":   {r.RefundBy("M3", "O", "r8", 1), 400, reference.CodeBadRequest},
		"nothing":               {r.Refund("O", "r9", 0), 400, reference.CodeBadRequest},
		"no id":                 {r.Refund("O", "", 1), 400, reference.CodeBadRequest},
		"blank id":              {r.Refund("O", " ", 1), 400, reference.CodeBadRequest},
		"id of a surplus":       {r.Refund("O", "surplus/B1", 1), 400, reference.CodeBadRequest},
	} {
		assert.Equal(t, c.http, c.answer.HTTP, name)
		assert.Equal(t, c.code, c.answer.Code, name)
	}
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Refund))
	assert.Equal(t, 1, r.Count("refund", "1 = 1"))
	assert.Equal(t, 404, r.RefundState("r2").HTTP)
	assert.Equal(t, int64(200), r.Order("O").Refunded, "what was refused has reserved nothing")
}

// Two refunds that fit only singly, and copies of one, all at once.
func TestRefundsAtOnce(t *testing.T) {
	r := start(t)
	paid := r.PayNew("O")
	var all sync.WaitGroup
	for _, id := range []string{"r1", "r2", "r1", "r2", "r1", "r2", "r1", "r2"} {
		all.Go(func() { r.Refund("O", id, 300) })
	}
	all.Wait()
	assert.Len(t, r.Bank.Refunds(paid.TradeNo), 1)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Refund))
	assert.Equal(t, 1, r.Count("refund", "1 = 1"))
	assert.Equal(t, int64(300), r.Order("O").Refunded)
}

func TestRefundUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		act   act
		calls int // of the bank, in the end
	}{
		"done, answer lost":      {act{Drop: true}, 1},
		"done, answer garbled":   {act{Garble: "<html>"}, 1},
		"done, about another":    {act{Amend: func(r *reference.Reply) { r.RefundNo = "R0" }}, 1},
		"done, of other amount":  {act{Amend: func(r *reference.Reply) { r.Amount = 1 }}, 1},
		"done, an unknown state": {act{Amend: func(r *reference.Reply) { r.Status = "MAYBE" }}, 1},
		"not done":               {act{Refuse: true}, 2},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			r := start(t, with(func(c *reference.Config) { c.Breaker.Failures = 100 }))
			paid := r.PayNew("O")
			r.Bank.Act(on(referencetest.Refund, 1, c.act))
			asked := r.Refund("O", "r1", 500)
			openOrMended(t, asked)
			done := r.RefundBecomes("r1", reference.Success)
			assert.Equal(t, asked.RefundNo, done.RefundNo, "the number is for ever")
			assert.Len(t, r.Bank.Refunds(paid.TradeNo), 1)
			assert.Equal(t, c.calls, r.Bank.Calls(referencetest.Refund))
			assert.Equal(t, reference.Refunded, r.Order("O").Status)
			assert.Equal(t, 1, r.Count("outbox_event", "type = 'pay.refunded'"))
		})
	}
}

func TestRefundRefusedByTheBank(t *testing.T) {
	r := start(t)
	paid := r.PayNew("O")
	r.Bank.Act(on(referencetest.Refund, 1, act{Decline: "TOO_LATE"}))
	refused := r.Refund("O", "r1", 500)
	assert.Equal(t, reference.Failed, refused.Status)
	assert.Equal(t, "TOO_LATE", refused.Message)
	assert.Equal(t, reference.Success, r.Order("O").Status, "the order is still paid")
	assert.Zero(t, r.Order("O").Refunded, "what was reserved is given back")
	assert.Zero(t, r.Count("outbox_event", "type = 'pay.refunded'"))
	assert.Equal(t, reference.Failed, r.Refund("O", "r1", 500).Status, "the same id has the same end")
	assert.Equal(t, reference.Success, r.Refund("O", "r2", 500).Status)
	assert.Len(t, r.Bank.Refunds(paid.TradeNo), 2)

	late := notice("N1", paid.TradeNo, "SUCCESS")
	late.RefundNo = refused.RefundNo
	assert.Equal(t, 200, r.Notify(late), "the bank gave it back after all")
	assert.Equal(t, reference.Success, r.RefundState("r1").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'refund-excess' AND order_id = 'O'"))
	late.ID, late.Status = "N2", "FAILED"
	assert.Equal(t, 200, r.Notify(late))
	assert.Equal(t, reference.Success, r.RefundState("r1").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'late-fail' AND order_id = 'O'"))
}

func TestRefundOfMoneyThatTheBankDoesNotHold(t *testing.T) {
	r := start(t)
	r.Bank.Set(r.PayNew("O").TradeNo, "FAILED")
	assert.Equal(t, reference.Failed, r.Refund("O", "r1", 500).Status)
	assert.Zero(t, r.Order("O").Refunded)
}

func TestRefundSettledByNotification(t *testing.T) {
	r := start(t, with(quiet))
	paid := r.PayNew("O")
	r.Bank.Act(on(referencetest.Refund, 1, act{Accept: true}))
	asked := r.Refund("O", "r1", 200)
	assert.Equal(t, reference.Processing, asked.Status)
	n := notice("N1", paid.TradeNo, "SUCCESS")
	n.RefundNo, n.Amount = asked.RefundNo, 500
	assert.Equal(t, 200, r.Notify(n), "of another amount: an alarm")
	assert.Equal(t, reference.Processing, r.RefundState("r1").Status)
	assert.Equal(t, 1, r.Count("alarm", "kind = 'mismatch'"))
	for _, id := range []string{"N2", "N2", "N3"} {
		n.ID, n.Amount = id, 200
		assert.Equal(t, 200, r.Notify(n))
	}
	assert.Equal(t, reference.Success, r.RefundState("r1").Status)
	assert.Equal(t, reference.PartlyRefunded, r.Order("O").Status)
	assert.Equal(t, 1, r.Count("outbox_event", "type = 'pay.refunded'"))
}

// Whatever a process that died has left behind comes to its end under the number that was stored.
func TestRestartFinishesEveryRefund(t *testing.T) {
	for _, c := range []struct {
		status reference.Status
		sent   bool
	}{{reference.Pending, false}, {reference.Processing, false}, {reference.Processing, true}, {reference.Unknown, false}, {reference.Unknown, true}} {
		t.Run(string(c.status), func(t *testing.T) {
			r := start(t, with(quiet))
			paid := r.PayNew("O")
			r.Bank.Act(on(referencetest.Refund, 1, act{Drop: true, Accept: true}))
			asked := r.Refund("O", "r1", 500)
			_, err := r.Service.Store.Exec(t.Context(), `UPDATE refund SET status = ? WHERE refund_id = 'r1'`, c.status)
			require.NoError(t, err)
			r.Stop()
			if c.sent {
				r.Bank.SetRefund(asked.RefundNo, "SUCCESS")
			} else {
				r.Bank.Forget(asked.RefundNo)
			}
			r.Config.ReconcileUnknownAfter, r.Config.ReconcileProcessingAfter = reference.Duration(time.Millisecond), reference.Duration(time.Millisecond)
			r.Start()
			assert.Equal(t, asked.RefundNo, r.RefundBecomes("r1", reference.Success).RefundNo)
			assert.Len(t, r.Bank.Refunds(paid.TradeNo), 1)
			assert.Equal(t, reference.Refunded, r.Order("O").Status)
		})
	}
}

func TestRefundNoticeOnce(t *testing.T) {
	r := start(t, referencetest.Queue())
	r.PayNew("O")
	r.Refund("O", "r1", 500)
	r.Until(func() bool { return r.Count("refund_notice", "order_id = 'O' AND refund_id = 'r1'") == 1 }, "nobody was told")
	r.Until(func() bool { return r.Count("consumed_event", "1 = 1") == 4 }, "both events, both consumers")
	assert.Equal(t, 1, r.Count("membership", "order_id = 'O'"))
	assert.Equal(t, 1, r.Count("coupon", "order_id = 'O'"))
}

func TestRefundWaitsNoLongerThanAClient(t *testing.T) {
	release := make(chan struct{})
	r := start(t, with(brief))
	r.PayNew("O")
	r.Bank.Act(on(referencetest.Refund, 1, act{Hold: release}))
	asked := r.Refund("O", "r1", 500)
	openOrMended(t, asked)
	close(release)
	r.RefundBecomes("r1", reference.Success)
	assert.Equal(t, 1, r.Bank.Calls(referencetest.Refund))
}
