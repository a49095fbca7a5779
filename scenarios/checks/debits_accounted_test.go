package checks

import (
	"testing"
)

var debitsAccountedSamples = tabled(DebitsAccounted,
	sample{name: "matched", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "a surplus that nobody recorded", h: h().good("A", 500).debit("A", "T2", 500).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T2, and the service has no record of it"}},
	sample{name: "a surplus recorded and kept", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "PENDING", 500).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T2; the service knows of it, and neither is it what a SUCCESS row stands for nor was it given back"}},
	sample{name: "a surplus called given back", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T2, which the service calls given back, and still holds ¥5.00"}},
	sample{name: "a surplus recorded and given back", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).refund("A", "T2", 500, refundNo("FT2")).rest(), want: Pass},
	sample{name: "a surplus given back without a record, in a service that promises one", h: surplusOnly().good("A", 500).debit("A", "T2", 500).refund("A", "T2", 500).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T2 and gave it back, and the service has no record of either"}},
	sample{name: "a surplus given back without a record, in a service that promises none", h: h().good("A", 500).debit("A", "T2", 500).refund("A", "T2", 500).rest(), want: Pass},
	sample{name: "a surplus that the bank itself undid", h: full().good("A", 500).debit("A", "T2", 500).reverse("A", "T2", 500).rest(), want: Pass},
	sample{name: "one number debited twice", h: h().good("A", 500).debit("A", "TA", 500).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number TA; the service knows of it, and neither is it what a SUCCESS row stands for nor was it given back"}},
	sample{name: "taken for a payment that is FAILED", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "FAILED", trade("T1")).rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T1; the service knows of it, and neither is it what a SUCCESS row stands for nor was it given back"}},
	sample{name: "refunded, and the payment was REFUNDED", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "the payment is still open", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "PROCESSING", trade("T1")).rest(), want: Pass},
	sample{name: "rows without trade numbers", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "rows without trade numbers, and a second debit", h: h().pay("A", 500).debit("A", "T1", 500).debit("A", "T2", 500).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A: the bank took ¥5.00 under trade number T2, and the service has no record of it"}},
	sample{name: "rows that nobody can read", h: blind(h().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
	sample{name: "nothing was taken", h: h().pay("A", 500).decline("A", "T1", 500).row("A", "FAILED").rest(), want: NotApplicable, reason: "took nothing"},
	sample{name: "the ledger was not read", h: h().good("A", 500).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
	sample{name: "never at rest", h: h().good("A", 500), want: Inconclusive, reason: "at rest"},
)

// surplusOnly is a service whose surplus debits can be read, and whose refunds cannot.
func surplusOnly() *build {
	b := h()
	b.target.Surplus = true
	return b
}

func TestDebitsAccounted(t *testing.T) { judgeTable(t, DebitsAccounted, debitsAccountedSamples) }
