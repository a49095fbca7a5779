package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

// byHand is a payment that nobody has planned, beside another whose number begins alike.
func byHand() *history.History {
	at := time.Duration(0)
	var events []history.Event
	add := func(e history.Event) {
		at += time.Millisecond
		e.At = at
		events = append(events, e)
	}
	message := func(link, dir, text string, conn int) {
		add(history.Event{Message: &history.Message{Link: link, Conn: conn, Dir: dir, Name: "pay", Text: text, Fate: history.Passed}})
	}
	add(history.Event{Plan: &history.Plan{Version: history.Version}})
	message("client", history.Request, `POST /pay {"order_id":"O-1"}`, 1)
	message("client", history.Request, `POST /pay {"order_id":"O-12"}`, 2)
	add(history.Event{Log: &history.LogLine{Process: "service", Order: "O-1", Step: "pay.submit", Status: "BEGIN", Text: "2026 [O-1] [T-1] [pay.submit] [BEGIN] [amount=500]"}})
	add(history.Event{Log: &history.LogLine{Process: "service", Text: "a line without form about O-1"}})
	add(history.Event{Log: &history.LogLine{Process: "service", Text: "a line about O-12"}})
	message("bank", history.Request, `POST /v1/debits {"trade_no":"B-7","amount":500}`, 1)
	add(history.Event{Ledger: &history.LedgerEntry{Kind: history.LedgerDebit, TradeNo: "B-7", Amount: 500, Currency: "CNY"}})
	message("bank", history.Answer, `200 OK`, 1)
	message("client", history.Answer, `200 OK {"code":"OK"}`, 2)
	message("client", history.Answer, `200 OK {"status":"SUCCESS"}`, 1)
	add(history.Event{Message: &history.Message{Link: "callback", Conn: 1, Dir: history.Request, Text: `POST /callback {"trade_no":"B-7"}`, Fate: history.Lost, Fault: "lost"}})
	add(history.Event{Sent: &history.SentCallback{TradeNo: "B-7", NotificationID: "N-1", Status: "FAILED", Amount: 500, Currency: "CNY", HTTP: 200, Sent: at, Done: at, Why: "not signed"}})
	r := history.Reading{
		Rows:    []history.Row{{ID: "P1", Order: "O-1", State: history.StateSuccess, Amount: 500, Currency: "CNY", TradeNo: "B-7"}, {ID: "P2", Order: "O-12", State: history.StatePending}},
		Refunds: []history.RefundRow{{Order: "O-1", RefundID: "R-1", State: "SUCCESS", Amount: 100, Currency: "CNY"}},
		Alarms:  []history.Alarm{{Order: "O-1", Kind: "late-fail"}}, Effects: []history.Effect{{Order: "O-1", Kind: "coupon", ID: "C-1"}},
		Events: []history.EventRow{{Order: "O-1", Type: history.EventPaid}}, Surplus: []history.SurplusRow{{Order: "O-1", TradeNo: "B-8", State: "OPEN", Currency: "CNY"}},
		Final: true,
	}
	add(history.Event{Reading: &r})
	add(history.Event{Reading: &r})
	return history.New(events)
}

func TestTraceTellsEverySourceAndNothingOfOthers(t *testing.T) {
	o, ok := Trace(byHand(), "O-1")
	require.True(t, ok)
	assert.Equal(t, int64(500), o.Amount)
	var got []string
	for _, e := range o.Timeline {
		got = append(got, e.Who+": "+e.What)
	}
	assert.Equal(t, []string{
		"client → service: pay POST /pay",
		"log service: pay.submit BEGIN amount=500",
		"log service: a line without form about O-1",
		"service → bank: pay POST /v1/debits trade_no=B-7 amount=500",
		"bank: debited ¥5.00 under B-7",
		"bank → service: pay 200 OK",
		"service → client: pay 200 OK status=SUCCESS",
		"fault lost: lost: bank → service POST /callback trade_no=B-7",
		"bank → service: notification N-1: FAILED of ¥5.00 (not signed), sent on purpose",
		"service → bank: 200 to notification N-1",
		"row: SUCCESS",
		"refund: R-1 SUCCESS ¥1.00",
		"surplus: B-8 OPEN ¥0.00",
		"outbox: pay.success waits",
		"granted: coupon C-1",
		"alarm: late-fail ",
	}, got)
	_, ok = Trace(byHand(), "O-2")
	assert.False(t, ok)
}

func TestTraceSavedFindsAnOrderAcrossHistories(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, byHand().Save(filepath.Join(dir, "a.jsonl")))
	require.NoError(t, byHand().Save(filepath.Join(dir, "b.jsonl")))
	told, err := TraceSaved([]string{dir}, "O-12")
	require.NoError(t, err)
	require.Len(t, told, 2)
	assert.Equal(t, filepath.Join(dir, "b.jsonl"), told[1].File)

	_, err = TraceSaved([]string{dir}, "O-13")
	require.ErrorContains(t, err, "no order O-13 in 2 histories; did you mean O-1")
	_, err = TraceSaved([]string{filepath.Join(dir, "none")}, "O-1")
	require.Error(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.jsonl"), []byte("O-1"), 0o600))
	_, err = TraceSaved([]string{dir}, "O-1")
	require.ErrorContains(t, err, "c.jsonl")

	var b bytes.Buffer
	require.NoError(t, byHand().Write(&b))
	one, err := TraceRead(strings.NewReader(b.String()), "O-12")
	require.NoError(t, err)
	assert.Equal(t, "O-12", one.Order.Order)
	_, err = TraceRead(&b, "X")
	require.ErrorContains(t, err, "no order X in 1 history")
}

// Whoever asks for an order by its number must not wait.
func BenchmarkTrace(b *testing.B) {
	h := byHand()
	for range b.N {
		if _, ok := Trace(h, "O-1"); !ok {
			b.Fatal("the order is not found")
		}
	}
}
