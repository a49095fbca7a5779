package reference_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

// Every word of the bank in every state, about the current number (B2) and about an older one (B1).
func TestSettleTable(t *testing.T) {
	type out struct {
		status  reference.Status
		tradeNo string
		alarm   string
		events  int
	}
	const current, older = "B2", "B1"
	pending, processing, unknown, success, failed := reference.Pending, reference.Processing, reference.Unknown, reference.Success, reference.Failed
	for _, c := range []struct {
		from   reference.Status
		said   reference.Said
		number string
		want   out
	}{
		{processing, reference.SaidSuccess, current, out{success, current, "", 1}},
		{processing, reference.SaidFailed, current, out{failed, current, "", 0}},
		{processing, reference.SaidProcessing, current, out{processing, current, "", 0}},
		{processing, reference.SaidClosed, current, out{pending, current, "", 0}},
		{processing, reference.SaidNothing, current, out{unknown, current, "", 0}},
		{processing, reference.SaidSuccess, older, out{success, older, "", 1}},
		{processing, reference.SaidFailed, older, out{processing, current, "", 0}},
		{processing, reference.SaidClosed, older, out{processing, current, "", 0}},
		{processing, reference.SaidNothing, older, out{processing, current, "", 0}},

		{unknown, reference.SaidSuccess, current, out{success, current, "", 1}},
		{unknown, reference.SaidFailed, current, out{failed, current, "", 0}},
		{unknown, reference.SaidProcessing, current, out{unknown, current, "", 0}},
		{unknown, reference.SaidClosed, current, out{pending, current, "", 0}},
		{unknown, reference.SaidNothing, current, out{unknown, current, "", 0}},
		{unknown, reference.SaidSuccess, older, out{success, older, "", 1}},
		{unknown, reference.SaidFailed, older, out{unknown, current, "", 0}},

		{pending, reference.SaidSuccess, older, out{success, older, "", 1}},
		{pending, reference.SaidFailed, current, out{pending, current, "", 0}},
		{pending, reference.SaidClosed, current, out{pending, current, "", 0}},

		{success, reference.SaidSuccess, current, out{success, current, "", 0}},
		{success, reference.SaidFailed, current, out{success, current, "late-fail", 0}},
		{success, reference.SaidProcessing, current, out{success, current, "", 0}},
		{success, reference.SaidClosed, current, out{success, current, "late-fail", 0}},
		{success, reference.SaidNothing, current, out{success, current, "", 0}},
		{success, reference.SaidSuccess, older, out{success, current, "surplus", 0}},
		{success, reference.SaidFailed, older, out{success, current, "", 0}},

		{failed, reference.SaidSuccess, current, out{success, current, "", 1}},
		{failed, reference.SaidSuccess, older, out{success, older, "", 1}},
		{failed, reference.SaidFailed, current, out{failed, current, "", 0}},
		{failed, reference.SaidProcessing, current, out{failed, current, "", 0}},
		{failed, reference.SaidClosed, current, out{failed, current, "", 0}},
		{failed, reference.SaidNothing, current, out{failed, current, "", 0}},
	} {
		t.Run(string(c.from)+" "+string(c.said)+" "+c.number, func(t *testing.T) {
			r := start(t, with(quiet))
			insert(t, r, reference.Payment{OrderID: "O", Status: c.from, TradeNo: current}, older, current)
			word := reference.Word{Said: c.said, Source: reference.FromQuery, TradeNo: c.number, Amount: 500, Currency: "CNY"}
			for range 2 { // a word that is said twice does no more than one
				done, err := r.Service.Settle(t.Context(), word)
				require.NoError(t, err)
				assert.Equal(t, c.want.status, done.Payment.Status)
			}
			row := r.Rows("O")[0]
			got := out{row.Status, row.TradeNo, "", r.Count("outbox_event", "order_id = 'O'")}
			if r.Count("alarm", "1 = 1") > 0 {
				require.NoError(t, r.Service.Store.Get(t.Context(), &got.alarm, `SELECT kind FROM alarm WHERE order_id = 'O'`), "exactly one alarm")
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestSettleMismatch(t *testing.T) {
	for name, c := range map[string]struct {
		word  reference.Word
		want  reference.Status
		alarm int
	}{
		"answer, other amount":        {reference.Word{Said: reference.SaidSuccess, Source: reference.FromAnswer, Amount: 501, Currency: "CNY"}, reference.Unknown, 1},
		"notice, other amount":        {reference.Word{Said: reference.SaidSuccess, Source: reference.FromCallback, Amount: 1, Currency: "CNY"}, reference.Processing, 1},
		"query, other currency":       {reference.Word{Said: reference.SaidSuccess, Source: reference.FromQuery, Amount: 500, Currency: "USD"}, reference.Processing, 1},
		"success without an amount":   {reference.Word{Said: reference.SaidSuccess, Source: reference.FromQuery}, reference.Processing, 1},
		"refusal with another amount": {reference.Word{Said: reference.SaidFailed, Source: reference.FromCallback, Amount: 1, Currency: "CNY"}, reference.Processing, 1},
		"refusal without an amount":   {reference.Word{Said: reference.SaidFailed, Source: reference.FromQuery}, reference.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, with(quiet))
			insert(t, r, reference.Payment{OrderID: "O", Status: reference.Processing, TradeNo: "B1"}, "B1")
			c.word.TradeNo = "B1"
			_, err := r.Service.Settle(t.Context(), c.word)
			require.NoError(t, err)
			assert.Equal(t, c.want, r.Rows("O")[0].Status)
			assert.Equal(t, c.alarm, r.Count("alarm", "kind = 'mismatch'"))
		})
	}
}

// The bank finds money under a declined attempt while the next attempt of the order is alive.
func TestLateSuccessBesideALiveAttempt(t *testing.T) {
	for next, want := range map[reference.Status]struct {
		first reference.Status
		alarm int
	}{
		reference.Pending: {reference.Failed, 1}, reference.Processing: {reference.Failed, 1}, reference.Unknown: {reference.Failed, 1},
		reference.Success: {reference.Failed, 1}, reference.Failed: {reference.Success, 0},
	} {
		t.Run(string(next), func(t *testing.T) {
			r := start(t, with(quiet))
			insert(t, r, reference.Payment{OrderID: "O", Status: reference.Failed, TradeNo: "B1"}, "B1")
			insert(t, r, reference.Payment{ID: "P2", Key: "K2", OrderID: "O", Attempt: 2, Status: next, TradeNo: "B2"}, "B2")
			_, err := r.Service.Settle(t.Context(), reference.Word{Said: reference.SaidSuccess, Source: reference.FromQuery, TradeNo: "B1", Amount: 500, Currency: "CNY"})
			require.NoError(t, err)
			rows := r.Rows("O")
			assert.Equal(t, want.first, rows[0].Status)
			assert.Equal(t, next, rows[1].Status)
			assert.Equal(t, want.alarm, r.Count("alarm", "kind = 'surplus'"))
			if want.first == reference.Success {
				assert.True(t, r.PayNew("O").Replayed, "an older attempt that came to life holds the order")
			}
		})
	}
}

func TestSettleOfAStranger(t *testing.T) {
	r := start(t)
	_, err := r.Service.Settle(t.Context(), reference.Word{Said: reference.SaidSuccess, TradeNo: "B404"})
	assert.ErrorIs(t, err, reference.ErrAbsent)
}

func TestMoveRefusesWhatTheTableForbids(t *testing.T) {
	r := start(t, with(quiet))
	insert(t, r, reference.Payment{OrderID: "O", Status: reference.Success, TradeNo: "B1"}, "B1")
	paid := r.Rows("O")[0]
	err := r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) error {
		_, err := tx.Move(t.Context(), paid, reference.Failed, time.Now().UnixMilli())
		return err
	})
	assert.ErrorContains(t, err, "SUCCESS to FAILED is no legal transition")
	assert.Equal(t, paid, r.Rows("O")[0])
}

func TestMoveOfAStaleReaderChangesNothing(t *testing.T) {
	r := start(t, with(quiet))
	insert(t, r, reference.Payment{OrderID: "O", Status: reference.Processing, TradeNo: "B1"}, "B1")
	stale := r.Rows("O")[0]
	_, err := r.Service.Settle(t.Context(), reference.Word{Said: reference.SaidSuccess, TradeNo: "B1", Amount: 500, Currency: "CNY"})
	require.NoError(t, err)
	var moved bool
	require.NoError(t, r.Service.Store.Tx(t.Context(), func(tx *reference.Tx) (err error) {
		moved, err = tx.Move(t.Context(), stale, reference.Failed, 1)
		return err
	}))
	assert.False(t, moved)
	assert.Equal(t, reference.Success, r.Rows("O")[0].Status)
}
