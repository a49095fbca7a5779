package scenarios

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// told is a history in the making: one event each millisecond.
type told struct{ events []history.Event }

func (b *told) add(e history.Event) *told {
	e.At = time.Duration(len(b.events)) * time.Millisecond
	b.events = append(b.events, e)
	return b
}

func tell() *told {
	b := &told{}
	b.add(history.Event{Plan: &history.Plan{Version: history.Version, Scenario: "told", Target: history.Target{Name: "t", Rows: true}}})
	return b.phase(history.PhaseUp).phase(history.PhaseProbe).phase(history.PhaseDrive)
}

func (b *told) phase(name string) *told {
	return b.add(history.Event{Phase: &history.Phase{Name: name}})
}

func (b *told) payment(order, currency string, amount int64) *told {
	return b.add(history.Event{Payment: &history.Payment{Order: order, Label: order, Account: "at " + order, Amount: amount, Currency: currency}})
}

func (b *told) pay(order string, amount int64, code int) *told {
	a := &history.Attempt{Order: order, Op: history.OpPay, Key: "K", Try: 1, Amount: amount, Currency: "CNY", Outcome: history.Unknown, Error: "EOF"}
	a.Sent = time.Duration(len(b.events)) * time.Millisecond
	a.Done = a.Sent + time.Millisecond/2
	if code != 0 {
		a.HTTP, a.Code, a.State, a.Outcome, a.Error = code, "SUCCESS", history.StateSuccess, history.Confirmed, ""
	}
	return b.add(history.Event{Attempt: a})
}

func (b *told) bank(kind, order, trade, currency string, amount int64) *told {
	return b.add(history.Event{Ledger: &history.LedgerEntry{Kind: kind, Order: order, TradeNo: trade, Account: "at " + order, Amount: amount, Currency: currency}})
}

func (b *told) rest(rows ...history.Row) *history.History {
	b.add(history.Event{Settled: &history.Settled{OK: true}})
	b.phase(history.PhaseObserve)
	b.add(history.Event{Reading: &history.Reading{Rows: rows, Final: true}})
	return history.New(b.events)
}

func row(order, state, trade string, amount int64) history.Row {
	return history.Row{ID: "row of " + order, Order: order, State: state, Amount: amount, Currency: "CNY", TradeNo: trade}
}

func TestMoney(t *testing.T) {
	const debit, refund, reversal = history.LedgerDebit, history.LedgerRefund, history.LedgerReversal
	paid := row("A", history.StateSuccess, "T1", 500)
	failed := row("A", history.StateFailed, "T1", 500)
	type sums = map[string]int64
	one := func() *told { return tell().payment("A", "CNY", 500) }
	for name, c := range map[string]struct {
		h    *history.History
		want reports.Money
	}{
		"one debit, one row":  {one().bank(debit, "A", "T1", "CNY", 500).rest(paid), reports.Money{Payments: 1, Debits: 1, SuccessRows: 1}},
		"nothing anywhere":    {one().rest(), reports.Money{Payments: 1}},
		"declined and failed": {one().bank(history.LedgerDecline, "A", "T1", "CNY", 500).rest(failed), reports.Money{Payments: 1}},
		"taken twice": {
			one().bank(debit, "A", "T1", "CNY", 500).bank(debit, "A", "T2", "CNY", 500).rest(paid),
			reports.Money{Payments: 1, Debits: 2, SuccessRows: 1, TakenTwice: sums{"CNY": 500}},
		},
		"taken three times": {
			one().bank(debit, "A", "T1", "CNY", 500).bank(debit, "A", "T2", "CNY", 500).bank(debit, "A", "T3", "CNY", 500).rest(paid),
			reports.Money{Payments: 1, Debits: 3, SuccessRows: 1, TakenTwice: sums{"CNY": 1000}},
		},
		"taken twice and given back once": {
			one().bank(debit, "A", "T1", "CNY", 500).bank(debit, "A", "T2", "CNY", 500).bank(refund, "A", "T2", "CNY", 500).rest(paid),
			reports.Money{Payments: 1, Debits: 1, SuccessRows: 1},
		},
		"made up": {one().rest(paid), reports.Money{Payments: 1, SuccessRows: 1, Created: sums{"CNY": 500}}},
		"made up by a late reversal": {
			one().bank(debit, "A", "T1", "CNY", 500).bank(reversal, "A", "T1", "CNY", 500).rest(paid),
			reports.Money{Payments: 1, SuccessRows: 1, Created: sums{"CNY": 500}},
		},
		"lost":               {one().bank(debit, "A", "T1", "CNY", 500).rest(failed), reports.Money{Payments: 1, Debits: 1, Destroyed: sums{"CNY": 500}}},
		"lost without a row": {one().bank(debit, "A", "T1", "CNY", 500).rest(), reports.Money{Payments: 1, Debits: 1, Destroyed: sums{"CNY": 500}}},
		"by currency, each on its own": {
			tell().payment("A", "CNY", 500).payment("B", "JPY", 70).bank(debit, "A", "T1", "CNY", 500).bank(debit, "A", "T2", "CNY", 500).
				bank(debit, "B", "T3", "JPY", 70).rest(paid),
			reports.Money{Payments: 2, Debits: 3, SuccessRows: 1, TakenTwice: sums{"CNY": 500}, Destroyed: sums{"JPY": 70}},
		},
		"books not read":  {history.New(one().bank(debit, "A", "T1", "CNY", 500).events), reports.Money{}},
		"ledger not read": {one().add(history.Event{Gap: &history.Gap{What: "ledger", Why: "gone"}}).rest(paid), reports.Money{}},
		"before the first step": {
			history.New((&told{}).phase(history.PhaseProbe).payment("A", "CNY", 500).rest(paid).Events), reports.Money{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got reports.Money
			got.Add(moved(c.h))
			assert.Equal(t, c.want, got)
		})
	}
}

func doubleDebit() *told {
	return tell().payment("A", "CNY", 500).pay("A", 500, 0).bank(history.LedgerDebit, "A", "T1", "CNY", 500).
		pay("A", 500, 200).bank(history.LedgerDebit, "A", "T2", "CNY", 500).
		add(history.Event{Fault: &history.Fault{Name: "lost", Kind: "lost-answer", Text: "the answer is lost", State: history.Armed}}).
		add(history.Event{Fault: &history.Fault{Name: "lost", Kind: "lost-answer", Text: "the answer is lost", State: history.Healed, Fired: 1}})
}

func TestEvidenceOfADoubleDebit(t *testing.T) {
	paid := row("A", history.StateSuccess, "T1", 500)
	h := doubleDebit().add(history.Event{Reading: &history.Reading{Rows: []history.Row{paid}}}).rest(paid)
	var r reports.Scenario
	Judge(&r, h)
	require.Equal(t, reports.Fail, r.Verdict)
	assert.Equal(t, reports.Fail, check(t, r, "one-debit").Verdict)
	assert.Contains(t, r.Reason, "(one-debit)")
	require.Len(t, r.Faults, 1)
	assert.Equal(t, reports.Fault{Name: "lost", Kind: "lost-answer", Text: "the answer is lost", Armed: 1, Fired: 1, Spans: []reports.Span{{FromMS: 9, ToMS: 10}}}, r.Faults[0])

	require.Len(t, r.Orders, 1)
	o := r.Orders[0]
	assert.Equal(t, "A", o.Order)
	assert.Equal(t, int64(500), o.Amount)
	assert.Equal(t, []reports.Line{
		{AtMS: 6, Text: "debit ¥5.00 T1"},
		{AtMS: 8, Text: "debit ¥5.00 T2", Strong: true},
	}, o.Ledger, "the second debit makes the contradiction")
	assert.Equal(t, []reports.Line{
		{AtMS: 11, Text: "SUCCESS ¥5.00 T1"},
		{AtMS: -1, Text: "no row knows T2", Strong: true},
	}, o.Rows)
	var line []string
	last := 0.0
	for _, e := range o.Timeline {
		assert.GreaterOrEqual(t, e.AtMS, last, "in time order")
		last = e.AtMS
		line = append(line, e.Who+": "+e.What)
	}
	assert.Contains(t, line, "bank: debited ¥5.00 under T2")
	assert.Contains(t, line, "row: SUCCESS")
	assert.Subset(t, line, []string{"fault lost: armed: the answer is lost", "fault lost: healed: the answer is lost"})
	assert.Zero(t, o.Cut)
}

func TestEvidenceNamesOnlyPaymentsOfFindings(t *testing.T) {
	h := doubleDebit().payment("B", "CNY", 70).pay("B", 70, 200).bank(history.LedgerDebit, "B", "T9", "CNY", 70).
		rest(row("A", history.StateSuccess, "T1", 500), row("B", history.StateSuccess, "T9", 70))
	var r reports.Scenario
	Judge(&r, h)
	require.Len(t, r.Orders, 1)
	assert.Equal(t, "A", r.Orders[0].Order)
	assert.NotContains(t, fmt.Sprint(r.Orders[0]), "T9", "nothing of another payment")
}

func TestTimelineIsBounded(t *testing.T) {
	b := tell().payment("A", "CNY", 500)
	for range 10 * maxTimeline {
		b.pay("A", 500, 0)
	}
	o := Retell(b.rest(), "A")
	assert.Len(t, o.Timeline, maxTimeline)
	assert.Positive(t, o.Cut, "what is left out is counted")
}

// A service that cannot take a clean payment cannot be judged, whatever the checks found.
func TestBeforeTheFirstStepThereIsNoVerdict(t *testing.T) {
	h := doubleDebit().rest(row("A", history.StateSuccess, "T1", 500))
	for i := range h.Events {
		if p := h.Events[i].Phase; p != nil && p.Name == history.PhaseDrive {
			p.Name = history.PhaseProbe
		}
	}
	var r reports.Scenario
	Judge(&r, h)
	assert.Equal(t, reports.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "before its first step")
	assert.Equal(t, reports.Fail, check(t, r, "one-debit").Verdict, "what was found is kept")
}

func TestJudgeAnEmptyHistory(t *testing.T) {
	for name, h := range map[string]*history.History{"nothing": {}, "no payment": tell().rest()} {
		var r reports.Scenario
		Judge(&r, h)
		assert.Equal(t, reports.Inconclusive, r.Verdict, name)
		assert.NotEmpty(t, r.Reason, name)
	}
}

func TestWidestBurst(t *testing.T) {
	b := tell()
	for _, spread := range []time.Duration{200, 900, 300} {
		b.add(history.Event{Burst: &history.Burst{Copies: 50, Spread: spread * time.Microsecond}})
	}
	assert.Equal(t, &reports.Burst{Copies: 50, SpreadUS: 900}, burstOf(b.rest()))
	assert.Nil(t, burstOf(tell().rest()))
}

// A fault that is put in force twice has lost the packets of both times.
func TestPacketsLostAreAddedUp(t *testing.T) {
	loss := func(state string, l *history.Loss) history.Event {
		return history.Event{Fault: &history.Fault{Name: "loss", Kind: "packet-loss", Text: "packets are lost", State: state, Loss: l}}
	}
	h := tell().payment("A", "CNY", 500).
		add(loss(history.Armed, nil)).add(loss(history.Healed, &history.Loss{Asked: 0.3, Seen: 10, Lost: 2})).
		add(loss(history.Armed, nil)).add(loss(history.Healed, &history.Loss{Asked: 0.3, Seen: 20, Lost: 7})).rest()
	var r reports.Scenario
	Judge(&r, h)
	require.Len(t, r.Faults, 1)
	assert.Equal(t, &reports.Loss{Asked: 0.3, Seen: 30, Lost: 9}, r.Faults[0].Loss)
}

// What a step waited for in vain leaves a scenario without its point: never a pass, and never an excuse for what was found.
func TestWhatWasAwaitedInVain(t *testing.T) {
	gap := history.Event{Gap: &history.Gap{What: history.GapAwaited, Why: "payment A in REFUNDED did not come within 10s; it was SUCCESS"}}
	paid := row("A", history.StateSuccess, "T1", 500)
	clean := tell().payment("A", "CNY", 500).pay("A", 500, 200).bank(history.LedgerDebit, "A", "T1", "CNY", 500)
	var r reports.Scenario
	Judge(&r, clean.rest(paid))
	require.Equal(t, reports.Pass, r.Verdict)
	Judge(&r, clean.add(gap).rest(paid))
	assert.Equal(t, reports.Inconclusive, r.Verdict)
	assert.Equal(t, gap.Gap.Why, r.Reason)
	assert.Empty(t, r.Error, "it is no trouble of the experiment")

	h := doubleDebit().add(gap).rest(paid)
	Judge(&r, h)
	assert.Equal(t, reports.Fail, r.Verdict)
	assert.Contains(t, r.Reason, "(one-debit)")
	assert.Equal(t, map[string]int64{"CNY": 500}, moved(h).TakenTwice, "ledger and books were read")
}

func TestAnAnswerIsToldInTheFewestWords(t *testing.T) {
	for want, a := range map[string]history.Attempt{
		"200 SUCCESS, so confirmed":             {HTTP: 200, Code: "SUCCESS", State: "SUCCESS", Outcome: history.Confirmed},
		"202 PROCESSING, so pending":            {HTTP: 202, State: "PROCESSING", Outcome: history.Pending},
		"409 REPEAT_SUBMIT PENDING, so pending": {HTTP: 409, Code: "REPEAT_SUBMIT", State: "PENDING", Outcome: history.Pending},
		"no answer: reset, so unknown":          {Error: "reset", Outcome: "unknown"},
	} {
		var told teller
		told.attempt(&a)
		assert.Equal(t, want, told.out[len(told.out)-1].What)
	}
}
