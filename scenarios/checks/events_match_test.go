package checks

import "testing"

var eventsMatchSamples = tabled(EventsMatch,
	sample{name: "one event for one payment", h: full().good("A", 500).rest(), want: Pass},
	sample{name: "and one for each refund", h: full().good("A", 500).returned("A", "r1", 100).returned("A", "r2", 100).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "no event", h: full().post("e0", "pay.success", "X", "", true).good("A", 500).rest(), want: Fail,
		says: []string{"order A: it is SUCCESS, and no event pay.success was ever written for it"}},
	sample{name: "an event of its own for each try", h: full().good("A", 500).post("e1", "pay.success", "A", "", true).post("e2", "pay.success", "A", "", true).rest(), want: Fail,
		says: []string{"order A: it succeeded once, and 2 different events pay.success were written for it"}},
	sample{name: "the same event seen again and again", h: full().good("A", 500).post("e1", "pay.success", "A", "", false).read().read().post("e1", "pay.success", "A", "", true).rest(), want: Pass},
	sample{name: "an event of a change that was undone", h: full().good("P", 100).pay("A", 500).decline("A", "T1", 500).row("A", "FAILED", trade("T1")).
		post("e0", "pay.success", "P", "", true).post("e1", "pay.success", "A", "", true).rest(), want: Fail,
		says: []string{"order A: it has no SUCCESS row, and event pay.success was written for it"}},
	sample{name: "written and never published", h: full().good("A", 500).post("e1", "pay.success", "A", "", false).rest(), want: Fail,
		says: []string{"order A: event pay.success e1 was written and never published"}},
	sample{name: "a refund without an event", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).post("e1", "pay.success", "A", "", true).rest(), want: Fail,
		says: []string{"order A: refund r1 is SUCCESS, and no event pay.refunded was ever written for it"}},
	sample{name: "an event of a refund that failed", h: full().good("A", 500).giving("A", "r1", "FAILED", 100).post("e1", "pay.success", "A", "", true).
		post("e2", "pay.refunded", "A", "r1", true).rest(), want: Fail,
		says: []string{"order A: no refund r1 succeeded, and event pay.refunded was written for it"}},
	sample{name: "two events of one refund", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).post("e1", "pay.success", "A", "", true).
		post("e2", "pay.refunded", "A", "r1", true).post("e3", "pay.refunded", "A", "r1", true).rest(), want: Fail,
		says: []string{"order A: refund r1 succeeded once, and 2 different events pay.refunded were written for it"}},
	sample{name: "events that do not say which refund", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).post("e1", "pay.success", "A", "", true).
		post("e2", "pay.refunded", "A", "", true).rest(), want: Pass},
	sample{name: "one too many that do not say", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).post("e1", "pay.success", "A", "", true).
		post("e2", "pay.refunded", "A", "", true).post("e3", "pay.refunded", "A", "", true).rest(), want: Fail,
		says: []string{"order A: 1 refund succeeded, and 2 different events pay.refunded were written"}},
	sample{name: "the refund of a surplus, with an event", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).refund("A", "T2", 500, refundNo("FT2")).
		giving("A", "s", "SUCCESS", 500, ofSurplus("FT2")).post("e1", "pay.success", "A", "", true).post("e2", "pay.refunded", "A", "FT2", true).rest(), want: Pass},
	sample{name: "events that nobody can read", h: h().good("A", 500).rest(), want: NotApplicable, reason: "cannot be read"},
	sample{name: "rows that nobody can read", h: blind(full().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
	sample{name: "nothing succeeded", h: full().pay("A", 500).decline("A", "T1", 500).row("A", "FAILED").rest(), want: NotApplicable, reason: "no payment ended SUCCESS"},
	sample{name: "never at rest", h: full().good("A", 500), want: Inconclusive, reason: "at rest"},
	sample{name: "a look into the books failed", h: full().good("A", 500).gap("rows").rest(), want: Inconclusive, reason: "rows"},
)

func TestEventsMatch(t *testing.T) { judgeTable(t, EventsMatch, eventsMatchSamples) }
