package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var ledgerAgreesSamples = tabled(LedgerAgrees,
	sample{name: "refunded in part", h: full().good("A", 500).returned("A", "r1", 100).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "refunded in part, and the bank gave nothing", h: full().good("A", 500).giving("A", "r1", "SUCCESS", 100).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: wrong amount: the bank holds ¥5.00 of a payment of ¥5.00 that is PARTLY_REFUNDED at the service, which leaves ¥4.00"}},
	sample{name: "refunded in part, and the bank gave all", h: full().good("A", 500).back("A", "r1", 100, history.Confirmed).refund("A", "TA", 500, refundNo("Fr1")).giving("A", "r1", "SUCCESS", 100).
		row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A is PARTLY_REFUNDED at the service, but the bank gave its money back: it took ¥5.00 and holds nothing now"}},
	sample{name: "REFUNDED, and the bank still holds it", h: full().good("A", 500).back("A", "r1", 500, history.Confirmed).giving("A", "r1", "SUCCESS", 500).row("A", "REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: wrong amount: the bank holds ¥5.00 of a payment of ¥5.00 that is REFUNDED at the service, which leaves ¥0.00"}},
	sample{name: "a refund still under way", h: full().good("A", 500).back("A", "r1", 100, history.Pending).giving("A", "r1", "PROCESSING", 100).rest(), want: Pass},
	sample{name: "closed, and the bank holds the money", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "CLOSED", trade("T1")).rest(), want: Fail,
		says: []string{"the bank holds ¥5.00 for order A and the service has no SUCCESS row: its row is CLOSED, and nobody will ever finish it"}},
	sample{name: "both agree", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "money held, row FAILED", h: h().good("P", 100).pay("A", 500).row("A", "FAILED", trade("T1")).debit("A", "T1", 500).rest(), want: Fail,
		says: []string{"the bank holds ¥5.00 for order A and the service has no SUCCESS row: its row is FAILED, and nobody will ever finish it"}},
	sample{name: "money held, no row", h: h().good("P", 100).pay("A", 500).debit("A", "T1", 500).rest(), want: Fail,
		says: []string{"the bank holds ¥5.00 for order A and the service has no SUCCESS row: it has no row at all, and nobody will ever finish it"}},
	sample{name: "money held, row still open", h: h().good("P", 100).pay("A", 500).row("A", "UNKNOWN").debit("A", "T1", 500).rest(), want: Pass},
	sample{name: "SUCCESS without any debit", h: h().good("P", 100).pay("A", 500).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A is SUCCESS at the service, but the bank never took any money for it"}},
	sample{name: "SUCCESS after a late reversal", h: h().good("A", 500).reverse("A", "TA", 500).rest(), want: Fail,
		says: []string{"order A is SUCCESS at the service, but the bank gave its money back: it took ¥5.00 and holds nothing now"}},
	sample{name: "wrong amount in the row", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS", trade("T1"), amount(50000)).rest(), want: Fail,
		says: []string{"order A: wrong amount: the bank holds ¥5.00, the service's SUCCESS row says ¥500.00"}},
	sample{name: "wrong amount in both", h: h().pay("A", 500).debit("A", "T1", 50000).row("A", "SUCCESS", trade("T1"), amount(50000)).rest(), want: Fail,
		says: []string{"order A: wrong amount: bank and service agree on ¥500.00, but what was asked for is ¥5.00"}},
	sample{name: "another amount that a client asked for", h: h().pay("A", 500).answer("A", "K", history.Confirmed, asked(700)).debit("A", "T1", 700).
		row("A", "SUCCESS", trade("T1"), amount(700)).rest(), want: Pass},
	sample{name: "wrong currency", h: h().payIn("A", 500, "JPY").debit("A", "T1", 500).row("A", "SUCCESS", trade("T1")).rest(), want: Fail,
		says: []string{"order A: wrong currency: the bank holds ¥5.00, the service's SUCCESS row says JPY 500"}},
	sample{name: "wrong trade number", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS", trade("T2")).rest(), want: Fail,
		says: []string{"order A: wrong trade number: the bank holds the money under T1, the service's SUCCESS row names T2"}},
	sample{name: "wrong amount and trade number", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS", trade("T2"), amount(499)).rest(), want: Fail,
		says: []string{"order A: wrong amount: the bank holds ¥5.00, the service's SUCCESS row says ¥4.99; wrong trade number: the bank holds the money under T1, the service's SUCCESS row names T2"}},
	sample{name: "the number is kept beside the row", h: tradeOf(h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS"), "A", "T1").rest(), want: Pass},
	sample{name: "another number is kept beside the row", h: tradeOf(h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS"), "A", "T2").rest(), want: Fail,
		says: []string{"order A: wrong trade number: the bank holds the money under T1, the service has recorded T2"}},
	sample{name: "a service that names no number", h: h().pay("A", 500).debit("A", "T1", 500).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "a row that names the bank's number", h: h().pay("A", 500).debit("A", "T1", 500, bankID("B1")).row("A", "SUCCESS", trade("B1")).rest(), want: Pass},
	sample{name: "two debits are not its business", h: h().good("A", 500).debit("A", "T2", 500).rest(), want: Pass},
	sample{name: "a debit of no payment", h: h().good("A", 500).debit("", "T9", 900).rest(), want: Fail,
		says: []string{`the bank holds a debit that belongs to no payment of this experiment: ¥9.00 under trade number T9, account "acct-"`}},
	sample{name: "a debit of no payment that was given back", h: h().good("A", 500).debit("", "T9", 900).reverse("", "T9", 900).rest(), want: Pass},
	sample{name: "the ledger was not read", h: h().good("P", 100).pay("A", 500).row("A", "SUCCESS").rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
	sample{name: "the ledger is empty", h: h().pay("A", 500).row("A", "SUCCESS").rest(), want: Inconclusive, reason: "no line"},
	sample{name: "no reading at rest", h: h().good("A", 500).phase(history.PhaseObserve), want: Inconclusive, reason: "not read at rest"},
	sample{name: "the rows were not read at rest", h: h().good("P", 100).pay("A", 500).debit("A", "T1", 500).rest().gap("rows"), want: Inconclusive, reason: "rows"},
	sample{name: "a look that failed earlier is made good", h: h().good("A", 500).gap("rows").rest(), want: Pass},
	sample{name: "rows that nobody can read", h: blind(h().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
)

func tradeOf(b *build, order, number string) *build {
	b.trades = append(b.trades, history.Trade{Order: order, TradeNo: number})
	return b
}

func TestLedgerAgrees(t *testing.T) { judgeTable(t, LedgerAgrees, ledgerAgreesSamples) }
