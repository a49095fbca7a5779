package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var settlesSamples = tabled(Settles,
	sample{name: "a refund that nobody finishes", h: full().good("A", 500).back("A", "r1", 100, history.Pending).giving("A", "r1", "UNKNOWN", 100).rest(), want: Fail,
		says: []string{"order A: its refund r1 of ¥1.00 is still UNKNOWN at rest: nobody finishes it"}},
	sample{name: "a refund that was taken on and lost", h: full().good("A", 500).back("A", "r1", 100, history.Pending).rest(), want: Fail,
		says: []string{"a client was told that refund r1 of order A was under way, and the service has no row for it"}},
	sample{name: "a refund that is done", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED").rest(), want: Pass},
	sample{name: "all final", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "still open, nothing at the bank", h: h().good("P", 100).pay("A", 500).row("A", "PENDING").rest(), want: Fail,
		says: []string{"order A is still PENDING at rest: nobody finishes it"}},
	sample{name: "still open, the bank holds the money", h: h().good("P", 100).pay("A", 500).debit("A", "T1", 500).row("A", "UNKNOWN", trade("T1")).rest(), want: Fail,
		says: []string{"order A is still UNKNOWN at rest while the bank holds ¥5.00 for it: nobody finishes it"}},
	sample{name: "the bank itself has not decided", h: h().good("P", 100).pay("A", 500).accept("A", "T1", 500).row("A", "PROCESSING", trade("T1")).rest(), want: Pass},
	sample{name: "the bank has decided since", h: h().good("P", 100).pay("A", 500).accept("A", "T1", 500).debit("A", "T1", 500).row("A", "PROCESSING", trade("T1")).rest(), want: Fail,
		says: []string{"order A is still PROCESSING at rest while the bank holds ¥5.00 for it: nobody finishes it"}},
	sample{name: "the bank has not decided about another number", h: h().good("P", 100).pay("A", 500).accept("A", "T1", 500).row("A", "PROCESSING", trade("T2")).rest(), want: Fail,
		says: []string{"order A is still PROCESSING at rest: nobody finishes it"}},
	sample{name: "told under way, and no row", h: h().good("P", 100).pay("A", 500).answer("A", "K", history.Pending, state("PENDING")).rest(), want: Fail,
		says: []string{"a client was told that order A was under way, and the service has no row for it"}},
	sample{name: "told paid, and no row", h: h().good("P", 100).pay("A", 500).answer("A", "K", history.Confirmed).rest(), want: Fail,
		says: []string{"a client was told that order A was paid, and the service has no row for it"}},
	sample{name: "refused, lost or only a token, and no row", h: h().good("P", 100).pay("A", 500).answer("A", "K", history.Refused).answer("A", "K", history.Unknown).
		answer("A", "K", history.Confirmed, func(a *history.Attempt) { a.Op = history.OpToken }).rest(), want: Pass},
	sample{name: "told to try again, and refused for ever", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "K", history.Refused, http(400))).rest(), want: Fail,
		says: []string{"order A: a client was told to try again under key K (503), did so when the trouble was over, and was refused (400): nobody can pay with it"}},
	sample{name: "told to try again, and told so again", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "K", history.Refused, http(503))).rest(), want: Fail,
		says: []string{"order A: a client was told to try again under key K (503), did so when the trouble was over, and was refused (503): nobody can pay with it"}},
	sample{name: "told to try again, and taken", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "K", history.Confirmed).debit("A", "T1", 500).row("A", "SUCCESS", trade("T1"))).rest(), want: Pass},
	sample{name: "told to try again while the fault lasts", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Fired).answer("A", "K", history.Refused, http(503))).rest(), want: Pass},
	sample{name: "told to try again, and something else broke", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).fault("amnesia", history.Armed, false).fault("amnesia", history.Healed, false).
		answer("A", "K", history.Refused, http(400))).rest(), want: Pass},
	sample{name: "told to try again, and the service was started anew", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).
		event(history.Event{Process: &history.Process{Name: "service", What: "killed"}}).answer("A", "K", history.Refused, http(400))).rest(), want: Pass},
	sample{name: "told to try again, and came with another amount", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "K", history.Refused, http(422), asked(600))).rest(), want: Pass},
	sample{name: "refused, by a service that asks nobody to try again", h: lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "K", history.Refused, http(400)).rest(), want: Pass},
	sample{name: "refused and closed", h: retries(lostOnce(h().good("P", 100).pay("A", 500), history.Healed).answer("A", "", history.Confirmed, func(a *history.Attempt) { a.Op = history.OpClose }).
		answer("A", "K", history.Refused, http(409))).rest(), want: Pass},
	sample{name: "final FAILED", h: h().good("P", 100).pay("A", 500).row("A", "FAILED").rest(), want: Pass},
	sample{name: "work left lying", h: waits(h().good("A", 500), 2).rest(), want: Fail,
		says: []string{"at rest the service still has 2 pieces of work to do, and does not do it"}},
	sample{name: "never came to rest", h: h().good("A", 500).settled(false, "row of order A changes on and on").phase(history.PhaseObserve).reading(true), want: Fail,
		says: []string{"the service did not come to rest within 60.000 s after the faults were over: row of order A changes on and on"}},
	sample{name: "nobody waited", h: h().good("A", 500).phase(history.PhaseObserve).reading(true), want: Inconclusive, reason: "nobody waited"},
	sample{name: "no reading at rest", h: h().good("A", 500).settled(true, ""), want: Inconclusive, reason: "not read at rest"},
	sample{name: "rows that nobody can read", h: blind(h().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
	sample{name: "rows that nobody can read, and no rest", h: blind(h().good("A", 500)).settled(false, ""), want: Fail,
		says: []string{"the service did not come to rest within 60.000 s after the faults were over: ledger or rows were still changing"}},
)

// lostOnce is a first try that is told to try again, since a fault was in its way.
func lostOnce(b *build, then string) *build {
	return b.fault("lost", history.Armed, false).answer("A", "K", history.Refused, http(503)).fault("lost", then, false)
}

func retries(b *build) *build { b.target.Retries = []int{503}; return b }

func http(status int) func(*history.Attempt) { return func(a *history.Attempt) { a.HTTP = status } }

func waits(b *build, n int) *build { b.waiting = n; return b }

func TestSettles(t *testing.T) { judgeTable(t, Settles, settlesSamples) }
