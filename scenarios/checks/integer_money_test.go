package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

const mostMoney = 1<<53 - 1

var integerMoneySamples = tabled(IntegerMoney,
	sample{name: "the same everywhere", h: h().good("A", 1999).good("B", mostMoney).good("C", 1).rest(), want: Pass},
	sample{name: "a cent lost on the way to the bank", h: h().pay("A", 1999).request("A", "TA", 1998).debit("A", "TA", 1998).row("A", "SUCCESS", trade("TA")).rest(), want: Fail,
		says: []string{"order A: a client asked to pay ¥19.99, and the bank was asked for ¥19.98", "order A: a client asked to pay ¥19.99, and the bank took ¥19.98"}},
	sample{name: "a cent lost, and the bank declined", h: h().good("P", 100).pay("A", 29).request("A", "TA", 28).ledger(history.LedgerDecline, "A", "TA", 28).row("A", "FAILED").rest(), want: Fail,
		says: []string{"order A: a client asked to pay ¥0.29, and the bank was asked for ¥0.28"}},
	sample{name: "the last bit lost in a row", h: h().pay("A", mostMoney).debit("A", "TA", mostMoney).row("A", "PENDING", amount(mostMoney-1)).read().row("A", "SUCCESS", trade("TA")).rest(), want: Fail,
		says: []string{"order A: a client asked to pay ¥90071992547409.91, and the service's row says ¥90071992547409.90"}},
	sample{name: "yen times 100", h: h().payIn("A", 500, "JPY").debit("A", "TA", 50000, in("JPY")).row("A", "SUCCESS", trade("TA"), amount(50000)).rest(), want: Fail,
		says: []string{"order A: a client asked to pay JPY 500, and the bank took JPY 50000", "order A: a client asked to pay JPY 500, and the service's row says JPY 50000"}},
	sample{name: "another currency", h: h().payIn("A", 500, "KWD").debit("A", "TA", 500).row("A", "SUCCESS", trade("TA")).rest(), want: Fail,
		says: []string{"order A: a client asked to pay KWD 0.500, and the bank took ¥5.00"}},
	sample{name: "an amount that came with another request", h: h().good("A", 500).answer("A", "KA", history.Refused, asked(700)).rest(), want: Pass},
	sample{name: "a query names no amount", h: h().good("A", 500).ledger(history.LedgerRequest, "A", "TA", 0, func(e *history.LedgerEntry) { e.Op, e.Currency = "query", "" }).rest(), want: Pass},
	sample{name: "a refund of another amount in the books", h: full().good("A", 500).back("A", "r1", 29, history.Confirmed).refund("A", "TA", 28, refundNo("Fr1")).
		giving("A", "r1", "SUCCESS", 28).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: a client asked for ¥0.29 back with refund r1, and the service's row says ¥0.28",
			"order A: a client asked for ¥0.29 back with refund r1, and the bank gave back ¥0.28"}},
	sample{name: "a refund as it was asked for", h: full().good("A", 500).returned("A", "r1", 29).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "a surplus recorded as what was still due", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 0).refund("A", "T2", 500, refundNo("FT2")).rest(), want: Fail,
		says: []string{"order A: the bank took a surplus of ¥5.00, and the service has recorded ¥0.00 for it"}},
	sample{name: "no amount was seen", h: h().pay("A", 500).answer("A", "K", history.Refused).rest(), want: Inconclusive, reason: "no amount"},
	sample{name: "the ledger was not read", h: h().good("A", 500).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
)

func TestIntegerMoney(t *testing.T) { judgeTable(t, IntegerMoney, integerMoneySamples) }
