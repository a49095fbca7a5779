package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var tradeNoUniqueSamples = tabled(TradeNoUnique,
	sample{name: "a number for each", h: h().good("A", 500).good("B", 500).rest(), want: Pass},
	sample{name: "several numbers of one payment", h: h().good("A", 500).request("A", "T2", 500).decline("A", "T2", 500).rest(), want: Pass},
	sample{name: "two payments under one number at the bank", h: h().good("A", 500).pay("B", 500).request("B", "TA", 500).row("B", "FAILED").rest(), want: Fail,
		says: []string{"trade number TA stands for 2 payments: orders A and B"}},
	sample{name: "two rows with one number", h: h().good("A", 500).pay("B", 500).decline("B", "TB", 500).row("B", "FAILED", trade("TA")).rest(), want: Fail,
		says: []string{"trade number TA stands for 2 payments: orders A and B"}},
	sample{name: "for a moment only", h: h().good("A", 500).pay("B", 500).row("B", "PENDING", trade("TA")).read().decline("B", "TB", 500).row("B", "FAILED", trade("TB")).rest(), want: Fail,
		says: []string{"trade number TA stands for 2 payments: orders A and B"}},
	sample{name: "no number was seen", h: h().pay("A", 500).answer("A", "K", history.Refused).rest(), want: Inconclusive, reason: "no trade number"},
	sample{name: "the ledger was not read", h: h().good("A", 500).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
)

func TestTradeNoUnique(t *testing.T) { judgeTable(t, TradeNoUnique, tradeNoUniqueSamples) }
