package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

func begun() *build { return h().pay("A", 500).debit("A", "T1", 500) }

var successIsFinalSamples = tabled(SuccessIsFinal,
	sample{name: "once and for ever", h: begun().row("A", "PROCESSING").read().row("A", "SUCCESS").read().rest(), want: Pass},
	sample{name: "back to PROCESSING and to SUCCESS again", h: begun().row("A", "SUCCESS").read().row("A", "PROCESSING").read().row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is PROCESSING"}},
	sample{name: "overwritten by a late FAIL", h: begun().row("A", "SUCCESS").read().callback("A", "T1", "FAILED").row("A", "FAILED").rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is FAILED"}},
	sample{name: "given back in part, then whole", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).read().
		returned("A", "r2", 400).row("A", "REFUNDED", trade("TA")).read().rest(), want: Pass},
	sample{name: "given back, and SUCCESS again", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).read().row("A", "SUCCESS", trade("TA")).rest(), want: Fail,
		says: []string{"order A was REFUNDED, and after that its row is SUCCESS"}},
	sample{name: "given back, and the pay request answered as the first time", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).read().
		answer("A", "KA", history.Confirmed, state("SUCCESS")).rest(), want: Pass},
	sample{name: "REFUNDED, though it was a surplus that was given back", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).refund("A", "T2", 500, refundNo("FT2")).
		row("A", "REFUNDED", trade("TA")).read().rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is REFUNDED"}},
	sample{name: "closed after it was paid", h: begun().row("A", "SUCCESS").read().row("A", "CLOSED").read().rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is CLOSED"}},
	sample{name: "closed, then paid", h: begun().row("A", "CLOSED").read().row("A", "SUCCESS").read().rest(), want: Pass},
	sample{name: "FAIL and then SUCCESS", h: begun().row("A", "FAILED").read().row("A", "SUCCESS").read().rest(), want: Pass},
	sample{name: "another row of the same order", h: begun().rowID("r1", "A", "SUCCESS").read().rowID("r2", "A", "PENDING").read().rowID("r2", "A", "FAILED").rest(), want: Pass},
	sample{name: "a query sent after it is told PROCESSING", h: begun().row("A", "SUCCESS").read().answer("A", "", history.Pending, query, state("PROCESSING")).rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that a client was told that it is PROCESSING"}},
	sample{name: "a query sent before it is told PROCESSING", h: begun().row("A", "SUCCESS").read().slow(3, "A", "", history.Pending, query, state("PROCESSING")).rest(), want: Pass},
	sample{name: "told SUCCESS, then stored otherwise", h: begun().answer("A", "K", history.Confirmed, state("SUCCESS")).read().row("A", "PROCESSING").read().row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is PROCESSING"}},
	sample{name: "a reading that may have begun before the answer", h: begun().read().answer("A", "K", history.Confirmed, state("SUCCESS")).row("A", "PROCESSING").read().row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "told SUCCESS, then told otherwise, by one payment number", h: begun().answer("A", "K", history.Confirmed, named("p1")).
		answer("A", "K", history.Pending, named("p1"), state("PROCESSING")).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that a client was told that it is PROCESSING"}},
	sample{name: "the decline of an earlier key told again", h: h().pay("A", 500).decline("A", "T1", 500).answer("A", "K1", history.Declined, named("row-A")).
		debit("A", "T2", 500).row("A", "SUCCESS").read().answer("A", "K2", history.Confirmed, named("row-A")).answer("A", "K1", history.Declined, named("row-A")).rest(), want: Pass},
	sample{name: "a time-out names no state", h: begun().row("A", "SUCCESS").read().answer("A", "K", history.Unknown, state("PROCESSING")).rest(), want: Pass},
	sample{name: "a refusal is about the request", h: begun().row("A", "SUCCESS").read().answer("A", "K", history.Refused, state("FAILED")).rest(), want: Pass},
	sample{name: "rows without names of their own cannot be told apart", h: begun().rowID("", "A", "SUCCESS").rowID("", "A", "FAILED").read().read().
		answer("A", "", history.Declined, query).rest(), want: Pass},
	sample{name: "a single row without a name", h: begun().rowID("", "A", "SUCCESS").read().answer("A", "", history.Declined, query).rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that a client was told that it is FAILED"}},
	sample{name: "answers alone", h: blind(begun().answer("A", "K", history.Confirmed).answer("A", "K", history.Declined)).rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that a client was told that it is FAILED"}},
	sample{name: "a look into the books failed", h: begun().row("A", "SUCCESS").read().gap("rows").rest(), want: Inconclusive, reason: "rows"},
	sample{name: "a break stands in spite of a gap", h: begun().row("A", "SUCCESS").read().gap("rows").row("A", "FAILED").rest(), want: Fail,
		says: []string{"order A was SUCCESS, and after that its row is FAILED"}},
	sample{name: "no state was ever named", h: h().pay("A", 500).answer("A", "K", history.Refused).rest(), want: Inconclusive, reason: "ever named"},
)

func TestSuccessIsFinal(t *testing.T) { judgeTable(t, SuccessIsFinal, successIsFinalSamples) }
