package checks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

func TestOrderOfEqualTimesAndDoubledReadingsDecideNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range All() {
		for _, s := range tables[c.Name] {
			sameVerdicts(t, r, c.Name+"/"+s.name, s.h.all())
		}
	}
	for i := range 2000 {
		sameVerdicts(t, r, fmt.Sprintf("random history %d", i), randomEvents(r))
		if t.Failed() {
			return
		}
	}
}

// sameVerdicts judges events in several orders of arrival, and with each reading taken twice.
func sameVerdicts(t *testing.T, r *rand.Rand, name string, events []history.Event) {
	t.Helper()
	want := verdicts(history.New(slices.Clone(events)))
	for range 3 {
		again := slices.Clone(events)
		for _, e := range events {
			if e.Reading != nil && r.IntN(2) == 0 {
				again = append(again, e)
			}
		}
		r.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		if !assert.Equal(t, want, verdicts(history.New(again)), name) {
			return
		}
	}
}

func verdicts(h *history.History) map[string][]string {
	out := map[string][]string{}
	for _, c := range All() {
		res := c.Run(h)
		out[c.Name] = []string{string(res.Status)}
		for _, f := range res.Findings {
			out[c.Name] = append(out[c.Name], f.Message)
		}
	}
	return out
}

// randomEvents are observations of two payments with so few different times that most of them coincide.
func randomEvents(r *rand.Rand) []history.Event {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	b := h()
	b.pay("A", 500).pay("B", 500)
	for range 3 + r.IntN(12) {
		order, tradeNo := one("A", "B"), one("T1", "T2", "T3")
		b.t = time.Duration(r.IntN(4)) * tick
		switch r.IntN(5) {
		case 0, 1:
			kind := one("debit", "debit", "decline", "refund", "reversal", "accept", "close", "callback", "request")
			b.ledger(kind, order, tradeNo, 500, func(e *history.LedgerEntry) { e.Status = one("SUCCESS", "FAILED") })
		case 2:
			outcome := history.Outcome(one("confirmed", "declined", "pending", "refused", "unknown"))
			b.slow(r.IntN(3), order, one("K1", "K2"), outcome, asked(int64(500+100*r.IntN(2))), named(one("", "r1", "r2")))
		case 3:
			b.rowID(one("", "r1", "r2", "r3"), order, one("PENDING", "UNKNOWN", "SUCCESS", "FAILED"), trade(one("", tradeNo))).read()
		case 4:
			b.fault(one("f", "g"), one("armed", "fired", "healed"), false)
		}
	}
	b.t = 5 * tick
	return b.rest().all()
}

// BenchmarkAll judges a history of a million events by all checks.
func BenchmarkAll(b *testing.B) {
	hist := large(1_000_000)
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		for i, res := range RunAll(hist) {
			if res.Status == Fail {
				b.Fatalf("%s: %v", All()[i].Name, res.Findings[0])
			}
		}
	}
}

// What a history costs grows with its events, not with their square. Allocations are counted and not time, which is another's
// on a busy machine.
func TestJudgingGrowsWithTheHistory(t *testing.T) {
	cost := func(events int) float64 {
		hist := large(events)
		return testing.AllocsPerRun(1, func() { RunAll(hist) })
	}
	small, large := cost(4_000), cost(32_000)
	assert.Less(t, large/small, 12.0, "eight times the events")
}

// BenchmarkEach shows which check the time goes to.
func BenchmarkEach(b *testing.B) {
	hist := large(200_000)
	for _, c := range All() {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				c.Run(hist)
			}
		})
	}
}

// large is a history of many good payments, with readings of the last hundred rows in between.
func large(n int) *history.History {
	b := h()
	recent := []history.Row{}
	var all []history.Row
	for i := 0; len(b.events) < n-10; i++ {
		order := fmt.Sprintf("O-%d", i)
		b.pay(order, 500)
		for range 3 {
			b.request(order, "T"+order, 500).log(order, "bank.call", "START")
		}
		b.debit(order, "T"+order, 500).callback(order, "T"+order, "SUCCESS")
		b.answer(order, "K"+order, history.Confirmed, state("SUCCESS")).answer(order, "K"+order, history.Confirmed, state("SUCCESS"))
		row := history.Row{ID: order, Order: order, State: "SUCCESS", Amount: 500, Currency: "CNY", TradeNo: "T" + order}
		all, recent = append(all, row), append(recent, row)
		if len(recent) == 100 {
			b.event(history.Event{Reading: &history.Reading{Rows: slices.Clone(recent)}})
			recent = recent[50:]
		}
	}
	b.rows = all
	return b.rest().history()
}
