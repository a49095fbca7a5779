package stack

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
	"onedebit/scenarios/targets"
)

func TestJoinerJoinsBankAndOrder(t *testing.T) {
	j := newJoiner()
	j.Learn("O-1", "O-1", "A-1", "", "K-1")
	j.Learn("O-2", "O-2", "A-2", "K-1")
	assert.Equal(t, "O-1", j.Order("K-1"), "a key stays with the order that it was made for")
	assert.Empty(t, j.Order("B-1"))
	assert.Empty(t, j.Message([]byte(`{"trade_no":"B-1"}`)))
	assert.Equal(t, "O-1", j.Message([]byte(`POST {"account":"A-1","trade_no": "B-1"}`)))
	assert.Equal(t, "O-1", j.Message([]byte(`{"trade_no":"B-1"}`)), "learnt from the debit")
	assert.Empty(t, j.Message([]byte("A-10 xA-1")), "whole words only")

	known := history.LedgerEntry{Account: "A-2", TradeNo: "B-2"}
	j.Entry(&known)
	assert.Equal(t, "O-2", known.Order)
	close := history.LedgerEntry{TradeNo: "B-2"}
	j.Entry(&close)
	assert.Equal(t, "O-2", close.Order)
	stray := history.LedgerEntry{Account: "A-9", TradeNo: "B-9"}
	j.Entry(&stray)
	assert.Empty(t, stray.Order)
}

func TestJoinerOfServicesOfOnesOwn(t *testing.T) {
	j := newJoiner()
	j.Learn("O-1", "O-1", "K-1")
	j.Learn("O-2", "O-2", "K-2")
	j.LearnAmount("O-1", 1050)
	j.LearnAmount("O-2", 1060)
	j.LearnAmount("O-3", 1060)
	for name, test := range map[string]struct {
		entry history.LedgerEntry
		want  string
	}{
		"a word of the request":            {history.LedgerEntry{Detail: "POST /pay note=for K-2, thanks"}, "O-2"},
		"a word of what belongs":           {history.LedgerEntry{Account: "ride K-1"}, "O-1"},
		"the amount of a debit":            {history.LedgerEntry{Op: "debit", Amount: 1050}, "O-1"},
		"an amount that two have":          {history.LedgerEntry{Op: "debit", Amount: 1060}, ""},
		"the amount of what is no debit":   {history.LedgerEntry{Op: "refund", Amount: 1050}, ""},
		"a word is better than the amount": {history.LedgerEntry{Op: "debit", Amount: 1050, Detail: "id=K-2"}, "O-2"},
	} {
		t.Run(name, func(t *testing.T) {
			j.Entry(&test.entry)
			assert.Equal(t, test.want, test.entry.Order)
		})
	}
	j.Alone("O-3")
	stray := history.LedgerEntry{Op: "debit", Amount: 7, TradeNo: "B-7"}
	j.Entry(&stray)
	assert.Equal(t, "O-3", stray.Order)
	j.Alone("")
	later := history.LedgerEntry{TradeNo: "B-7"}
	j.Entry(&later)
	assert.Equal(t, "O-3", later.Order, "its number is known by then")
}

// A bank may know a payment by a name that becomes known only later.
func TestLinesOfTheLedgerWaitForTheirPayment(t *testing.T) {
	s := &Stack{Spec: Spec{Recorder: history.NewRecorder(time.Now)}, Joiner: newJoiner(), Bank: &Bank{}, trades: map[string]string{}, waits: true}
	for _, number := range []string{"ride-1", "ride-2"} {
		s.record(&bankAPI{}, LedgerLine{LedgerEntry: history.LedgerEntry{Kind: history.LedgerDebit, TradeNo: number}})
	}
	orders := func() (out []string) {
		for _, e := range s.Recorder.History().Events {
			out = append(out, e.Ledger.Order)
		}
		return out
	}
	assert.Empty(t, orders())
	s.Joiner.Learn("O-2", "ride-2")
	_, err := s.ReadLedger(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"O-2"}, orders())
	require.NoError(t, s.ReadLedgerToEnd(t.Context()))
	assert.ElementsMatch(t, []string{"O-2", ""}, orders())
}

func TestTradeOfIsTheNumberSentLast(t *testing.T) {
	s := &Stack{Spec: Spec{Recorder: history.NewRecorder(time.Now)}, Joiner: newJoiner(), Bank: &Bank{each: []*bankAPI{{}}}, trades: map[string]string{}}
	s.Joiner.Learn("O-1", "A-1")
	for _, l := range []struct{ kind, op, number, want string }{
		{history.LedgerRequest, "debit", "B-1", "B-1"},
		{history.LedgerDecline, "debit", "B-1", "B-1"},
		{history.LedgerRequest, "debit", "B-2", "B-2"},
		{history.LedgerAnswer, "debit", "B-1", "B-2"},
		{history.LedgerCallback, "debit", "B-1", "B-2"},
		{history.LedgerRequest, "query", "B-1", "B-2"},
	} {
		s.record(s.Bank.each[0], LedgerLine{LedgerEntry: history.LedgerEntry{Kind: l.kind, Op: l.op, Account: "A-1", TradeNo: l.number}})
		assert.Equal(t, l.want, s.TradeOf("O-1"), "%s of %s %s", l.kind, l.op, l.number)
	}
}

func TestNamesOfMessages(t *testing.T) {
	n := newNamer(targets.Names{"debit": {"POST /v1/debits"}, "query": {"GET /v1/debits/*"}, "close": {"POST /v1/debits/*/close"}, "any": {"*"}})
	for label, want := range map[string]string{
		"POST /v1/debits": "debit", "GET /v1/debits/B-1": "query", "POST /v1/debits/B-1/close": "close", "SET": "any", "POST /v2": "POST /v2",
	} {
		assert.Equal(t, want, n.name(label), label)
	}
}

func TestNestedConfiguration(t *testing.T) {
	into := map[string]any{}
	nest(into, "a", "1")
	nest(into, "b.c", "2")
	nest(into, "b.d.e", "3")
	assert.Equal(t, map[string]any{"a": "1", "b": map[string]any{"c": "2", "d": map[string]any{"e": "3"}}}, into)
}
