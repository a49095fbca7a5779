package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

func (b *told) reading(rows ...history.Row) *told {
	return b.add(history.Event{Reading: &history.Reading{Rows: rows}})
}

func TestStatesTellEachChange(t *testing.T) {
	b := tell()
	b.add(history.Event{Payment: &history.Payment{Order: "P", Probe: true}})
	b.payment("A", "CNY", 500).payment("B", "CNY", 70)
	clean := row("P", history.StateSuccess, "T0", 1)
	b.reading(clean).reading(clean, row("A", history.StateProcessing, "T1", 500))
	b.reading(clean, row("A", history.StateProcessing, "T1", 500))
	h := b.rest(clean, row("A", history.StateSuccess, "T1", 500), row("B", history.StateFailed, "", 70))
	assert.Equal(t, []reports.Moment{
		{AtMS: 8, States: map[string]int{"PROCESSING": 1}},
		{AtMS: 12, States: map[string]int{"SUCCESS": 1, "FAILED": 1}},
	}, states(h), "changes only, and nothing of the clean payment")
	assert.Empty(t, states(tell().rest()))
}

func TestStatesAreBounded(t *testing.T) {
	b := tell().payment("A", "CNY", 500)
	for range 3 * maxMoments {
		b.reading(row("A", history.StateProcessing, "T1", 500)).reading(row("A", history.StateUnknown, "T1", 500))
	}
	got := states(b.rest(row("A", history.StateSuccess, "T1", 500)))
	require.Len(t, got, maxMoments)
	assert.Equal(t, map[string]int{"SUCCESS": 1}, got[maxMoments-1].States, "what came out stays")
}

func TestAPaymentThatNobodyAccusesIsRetoldOnce(t *testing.T) {
	h := tell().payment("A", "CNY", 500).payment("B", "CNY", 70).pay("A", 500, 200).bank(history.LedgerDebit, "A", "T1", "CNY", 500).
		rest(row("A", history.StateSuccess, "T1", 500))
	first, second := reports.Scenario{Trial: 1}, reports.Scenario{Trial: 2}
	require.Len(t, example(&first, h), 1)
	assert.Equal(t, "A", example(&first, h)[0].Order)
	assert.Empty(t, example(&second, h), "the first trial stands for all")
	first.Orders = []reports.Order{{Order: "A"}}
	assert.Empty(t, example(&first, h), "evidence is enough")
}

func TestRetellingHasLanesAndTheLog(t *testing.T) {
	b := tell().payment("A", "CNY", 500).pay("A", 500, 200).bank(history.LedgerDebit, "A", "T1", "CNY", 500)
	message := func(link, dir, name string) {
		b.add(history.Event{Message: &history.Message{Link: link, Dir: dir, Name: name, Order: "A", Fate: history.Passed}})
	}
	message("bank", history.Request, "debit")
	message("callback", history.Request, "callback")
	message("queue", history.Request, "publish")
	message("queue", history.Answer, "consume")
	b.add(history.Event{Message: &history.Message{Link: "cache", Dir: history.Request, Name: "claim", Order: "A", Fate: history.Lost, Fault: "lost"}})
	b.add(history.Event{Process: &history.Process{Name: "service", What: "killed"}})
	b.add(history.Event{Log: &history.LogLine{Order: "A", Step: "pay", Text: "2026-11-30T01:35:55Z [A] [T] [pay] [BEGIN] []"}})
	b.add(history.Event{Log: &history.LogLine{Order: "B", Text: "of another"}})
	o := Retell(b.rest(row("A", history.StateSuccess, "T1", 500)), "A")
	lanes := map[string]bool{}
	for _, e := range o.Timeline {
		lanes[e.Lane] = true
	}
	for _, lane := range []string{reports.LaneClient, reports.LaneService, reports.LaneBank, reports.LaneCallback, reports.LaneQueue, reports.LaneDatabase} {
		assert.True(t, lanes[lane], lane)
	}
	assert.Equal(t, []reports.Line{{AtMS: 13, Text: "[A] [T] [pay] [BEGIN] []"}}, o.Log)
}

func TestTheLogOfAPaymentIsBounded(t *testing.T) {
	b := tell().payment("A", "CNY", 500)
	for range 3 * maxLog {
		b.add(history.Event{Log: &history.LogLine{Order: "A", Text: "more"}})
	}
	b.add(history.Event{Log: &history.LogLine{Order: "A", Text: "the last"}})
	o := Retell(b.rest(), "A")
	assert.Len(t, o.Log, maxLog)
	assert.Equal(t, "the last", o.Log[maxLog-1].Text)
	assert.Equal(t, 2*maxLog+1, o.LogCut)
}
