package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

const twoRows = "order A has 2 SUCCESS rows at the service, each of which says that it was paid"

var oneSuccessRowSamples = tabled(OneSuccessRow,
	sample{name: "one row", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "two rows at rest", h: h().good("A", 500).rowID("r2", "A", "SUCCESS", trade("TA")).rest(), want: Fail, says: []string{twoRows}},
	sample{name: "two rows for a moment", h: h().good("A", 500).rowID("r2", "A", "SUCCESS").read().rowID("r2", "A", "FAILED").rest(), want: Fail, says: []string{twoRows}},
	sample{name: "a failed attempt beside the success", h: h().good("A", 500).rowID("r2", "A", "FAILED").rest(), want: Pass},
	sample{name: "the same row in many readings", h: h().good("A", 500).read().read().rest(), want: Pass},
	sample{name: "rows without a name of their own", h: h().good("P", 100).pay("A", 500).debit("A", "T1", 500).rowID("", "A", "SUCCESS").rowID("", "A", "SUCCESS").rest(), want: Fail, says: []string{twoRows}},
	sample{name: "two orders", h: h().good("A", 500).good("B", 500).rest(), want: Pass},
	sample{name: "the books were never read", h: h().pay("A", 500).answer("A", "K", history.Confirmed), want: Inconclusive, reason: "never read"},
	sample{name: "no row was ever seen", h: h().pay("A", 500).rest(), want: Inconclusive, reason: "no reading"},
	sample{name: "a look into the books failed", h: h().good("A", 500).gap("rows").rest(), want: Inconclusive, reason: "rows could not be observed"},
	sample{name: "rows that nobody can read", h: blind(h().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
)

func blind(b *build) *build { b.target.Rows = false; return b }

func TestOneSuccessRow(t *testing.T) { judgeTable(t, OneSuccessRow, oneSuccessRowSamples) }
