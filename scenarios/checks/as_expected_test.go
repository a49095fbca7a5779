package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

func some(n int) *int { return &n }

func appealed(untold ...string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Op, a.Untold = history.OpAppeal, untold }
}

func hoped(e history.Expect) *build { return h().good("A", 500).expect(e) }

var asExpectedSamples = tabled(AsExpected,
	sample{name: "state", h: hoped(history.Expect{Status: []string{"SUCCESS"}}).rest(), want: Pass},
	sample{name: "another state", h: hoped(history.Expect{Status: []string{"FAILED", "UNKNOWN"}}).rest(), want: Fail,
		says: []string{"order A: it is SUCCESS at rest, expected is FAILED or UNKNOWN"}},
	sample{name: "no row", h: h().good("P", 100).pay("A", 500).request("A", "T1", 500).expect(history.Expect{Status: []string{"SUCCESS"}}).rest(), want: Fail,
		says: []string{"order A: the service has no row at rest, expected is SUCCESS"}},
	sample{name: "the success counts before a failed attempt", h: hoped(history.Expect{Status: []string{"SUCCESS"}}).rowID("r0", "A", "FAILED").rest(), want: Pass},
	sample{name: "an appeal that tells all", h: hoped(history.Expect{Debits: some(1)}).answer("A", "", history.Pending, appealed()).rest(), want: Pass},
	sample{name: "an appeal that leaves something out", h: hoped(history.Expect{Debits: some(1)}).answer("A", "", history.Pending, appealed("TA")).rest(), want: Fail,
		says: []string{"order A: the answer to an appeal does not tell TA, which the service's books hold"}},
	sample{name: "debits", h: hoped(history.Expect{Debits: some(1)}).rest(), want: Pass},
	sample{name: "fewer debits", h: hoped(history.Expect{Debits: some(2)}).rest(), want: Fail, says: []string{"order A: the bank holds 1 debit at rest, expected is 2"}},
	sample{name: "no debit where one is expected", h: h().good("P", 100).pay("A", 500).expect(history.Expect{Debits: some(1)}).rest(), want: Fail,
		says: []string{"order A: the bank holds 0 debits at rest, expected is 1"}},
	sample{name: "declined", h: h().good("P", 100).pay("A", 500).expect(history.Expect{Declined: true}).decline("A", "T1", 500).row("A", "FAILED").rest(), want: Pass},
	sample{name: "declined, and debited all the same", h: hoped(history.Expect{Declined: true}).rest(), want: Fail, says: []string{"order A: the bank declined it for good, and yet it holds ¥5.00"}},
	sample{name: "alarms", h: alarmed(hoped(history.Expect{Alarms: some(1)})).rest(), want: Pass},
	sample{name: "too few alarms", h: alarmed(hoped(history.Expect{Alarms: some(2)})).rest(), want: Fail, says: []string{"order A: the service recorded 1 alarm, expected at least 2"}},
	sample{name: "words in the log", h: hoped(history.Expect{Logged: []string{"SKIP_DUPLICATE"}}).log("A", "callback.receive", "SKIP_DUPLICATE").rest(), want: Pass},
	sample{name: "words in the log of another order", h: hoped(history.Expect{Logged: []string{"SKIP_DUPLICATE"}}).log("B", "callback.receive", "SKIP_DUPLICATE").log("A", "x", "y").rest(), want: Fail,
		says: []string{`order A: the service's log does not say "SKIP_DUPLICATE" of it`}},
	sample{name: "requests", h: hoped(history.Expect{Requests: some(1)}).rest(), want: Pass},
	sample{name: "too many requests", h: hoped(history.Expect{Requests: some(1)}).request("A", "TA", 500).rest(), want: Fail,
		says: []string{"order A: 2 debit requests reached the bank, expected at most 1"}},
	sample{name: "the log was not read", h: hoped(history.Expect{Logged: []string{"SKIP_DUPLICATE"}}).rest(), want: Inconclusive, reason: "log was not read"},
	sample{name: "a gap in the log", h: hoped(history.Expect{Logged: []string{"SKIP_DUPLICATE"}}).log("A", "x", "y").gap("log").rest(), want: Inconclusive, reason: "log could not be observed"},
	sample{name: "the ledger was not read", h: hoped(history.Expect{Debits: some(2)}).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
	sample{name: "no reading at rest", h: hoped(history.Expect{Status: []string{"FAILED"}}), want: Inconclusive, reason: "at rest"},
	sample{name: "the alarms were not read", h: hoped(history.Expect{Alarms: some(1)}).rest().gap("alarms"), want: Inconclusive, reason: "alarms"},
	sample{name: "steps that were not carried out", h: hoped(history.Expect{Status: []string{"FAILED"}}).gap("steps").rest(), want: Inconclusive, reason: "not carried out to its end"},
	sample{name: "rows that nobody can read", h: blind(hoped(history.Expect{Status: []string{"FAILED"}})).rest(), want: Inconclusive, reason: noRows},
	sample{name: "nothing expected", h: hoped(history.Expect{}).rest(), want: NotApplicable, reason: "expects nothing"},
)

func alarmed(b *build) *build {
	b.alarms = append(b.alarms, history.Alarm{Order: b.payment.Order, Kind: "surplus"})
	return b
}

func TestAsExpected(t *testing.T) { judgeTable(t, AsExpected, asExpectedSamples) }
