package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var unknownIsNotFailedSamples = tabled(UnknownIsNotFailed,
	sample{name: "the bank's notification, acted on before it was acknowledged, then its debit", h: h().pay("A", 500).notice("N1").row("A", "FAILED").read().
		callback("A", "T1", "FAILED", func(e *history.LedgerEntry) { e.NotificationID = "N1" }).debit("A", "T1", 500).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "a refund called FAILED, and the bank had given it", h: full().good("A", 500).back("A", "r1", 100, history.Unknown).refund("A", "TA", 100, refundNo("Fr1")).giving("A", "r1", "FAILED", 100).read().
		giving("A", "r1", "SUCCESS", 100).rest(), want: Fail,
		says: []string{"order A: its refund r1 was stored as FAILED although the bank gave ¥1.00 back; what is unknown is not failed"}},
	sample{name: "a client told that its refund is FAILED", h: full().good("A", 500).returned("A", "r1", 100).read().back("A", "r1", 100, history.Declined).rest(), want: Fail,
		says: []string{"order A: a client was told that its refund r1 is FAILED although the bank gave ¥1.00 back; what is unknown is not failed"}},
	sample{name: "a refund that the bank refused", h: full().good("A", 500).back("A", "r1", 100, history.Declined).
		ledger(history.LedgerDecline, "A", "TA", 100, refundNo("Fr1"), func(e *history.LedgerEntry) { e.Op = "refund" }).giving("A", "r1", "FAILED", 100).rest(), want: Pass},
	sample{name: "never FAILED", h: h().good("A", 500).rest(), want: Pass},
	sample{name: "told FAILED while the bank holds the money", h: begun().row("A", "PROCESSING").read().answer("A", "K", history.Declined).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A: a client was told FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "stored FAILED for a moment, then SUCCESS", h: begun().row("A", "FAILED", trade("T1")).read().row("A", "SUCCESS", trade("T1")).read().answer("A", "K", history.Confirmed).rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "FAILED, and the debit was still on its way", h: h().pay("A", 500).answer("A", "K", history.Declined).debit("A", "T1", 500).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A: a client was told FAILED and the bank took ¥5.00 after that; what is unknown is not failed"}},
	sample{name: "not found at the bank, and the debit overtaken by a new key", h: h().pay("A", 500).row("A", "FAILED", trade("T1")).read().
		answer("A", "K1", history.Declined).answer("A", "K2", history.Pending).debit("A", "T1", 500).row("A", "SUCCESS", trade("T1")).rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED and the bank took ¥5.00 after that; what is unknown is not failed"}},
	sample{name: "the same, where a row names no number", h: tradeOf(h().pay("A", 500).row("A", "PENDING"), "A", "T1").read().row("A", "FAILED").read().
		answer("A", "K1", history.Unknown).answer("A", "K2", history.Pending).debit("A", "T1", 500).row("A", "SUCCESS", trade("T1")).rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED and the bank took ¥5.00 after that; what is unknown is not failed"}},
	sample{name: "the first number debited, the second declined, stored FAILED", h: begun().decline("A", "T2", 500).row("A", "FAILED", trade("T2")).read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "the same, seen only at rest", h: begun().decline("A", "T2", 500).row("A", "FAILED", trade("T2")).rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "an earlier decline does not speak for a later attempt", h: h().pay("A", 500).decline("A", "T0", 500).row("A", "FAILED", trade("T0")).read().
		debit("A", "T1", 500).decline("A", "T2", 500).row("A", "FAILED", trade("T2")).read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "the only key is no further attempt", h: h().pay("A", 500).request("A", "T1", 500).debit("A", "T1", 500).slow(2, "A", "K", history.Unknown).row("A", "FAILED").read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "a declined refund is not the bank's word about the debit", h: begun().ledger(history.LedgerDecline, "A", "T1", 500, func(e *history.LedgerEntry) { e.Op = "refund" }).
		row("A", "FAILED", trade("T1")).read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "an attempt that the bank declined while another was paid", h: h().pay("A", 500).request("A", "T1", 500).debit("A", "T2", 500).decline("A", "T1", 500).
		rowID("r1", "A", "FAILED", trade("T1")).rowID("r2", "A", "SUCCESS", trade("T2")).read().
		answer("A", "K2", history.Confirmed).slow(5, "A", "K1", history.Declined).rest(), want: Pass},
	sample{name: "FAILED before the bank had decided, then another number", h: h().pay("A", 500).request("A", "T1", 500).read().row("A", "FAILED").read().
		decline("A", "T1", 500).debit("A", "T2", 500).row("A", "SUCCESS").rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED and the bank took ¥5.00 after that; what is unknown is not failed"}},
	sample{name: "nothing was sent, paid under a new key, and the first key asked again", h: h().pay("A", 500).answer("A", "K1", history.Declined).slow(0, "A", "K2", history.Unknown).
		debit("A", "T2", 500).row("A", "SUCCESS").answer("A", "K2", history.Confirmed).answer("A", "K1", history.Declined).rest(), want: Pass},
	sample{name: "a second key told FAILED while the first is at the bank", h: begun().answer("A", "K2", history.Declined).row("A", "SUCCESS").answer("A", "K1", history.Confirmed).rest(), want: Fail,
		says: []string{"order A: a client was told FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "a refusal that is a duplicate's is not the bank's word", h: begun().ledger(history.LedgerAnswer, "A", "T1", 0, func(e *history.LedgerEntry) { e.Status, e.HTTP = "DUPLICATE", 409 }).
		row("A", "FAILED", trade("T1")).read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "a forged notification is not the bank's word", h: begun().callback("A", "T1", "FAILED", func(e *history.LedgerEntry) { e.Detail = "try 1 of 6, signature bad" }).
		row("A", "FAILED", trade("T1")).read().rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "the bank has taken it on and may still carry it out", h: h().pay("A", 500).accept("A", "T1", 500).row("A", "FAILED", trade("T1")).rest(), want: Fail,
		says: []string{"order A: its row was stored as FAILED although the bank has taken on a debit of ¥5.00 and may still carry it out"}},
	sample{name: "the bank's decline", h: h().pay("A", 500).decline("A", "T1", 500).row("A", "FAILED").answer("A", "K", history.Declined).rest(), want: Pass},
	sample{name: "the bank's notification, then its debit", h: h().pay("A", 500).callback("A", "T1", "FAILED").row("A", "FAILED").read().debit("A", "T1", 500).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "a number closed at the bank", h: h().good("P", 100).pay("A", 500).close("A", "T1").row("A", "FAILED").rest(), want: Pass},
	sample{name: "closed, which names no account, then paid under a new number", h: tradeOf(h().good("P", 100).pay("A", 500), "A", "T1").row("A", "UNKNOWN").read().
		ledger(history.LedgerClose, "", "T1", 0).row("A", "FAILED").read().debit("A", "T2", 500).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "FAILED after a reversal", h: begun().reverse("A", "T1", 500).row("A", "FAILED", trade("T1")).rest(), want: Pass},
	sample{name: "FAILED before the money was given back", h: begun().row("A", "FAILED", trade("T1")).read().answer("A", "K", history.Declined).refund("A", "T1", 500).rest(), want: Fail,
		says: []string{"order A: a client was told FAILED although the bank had taken ¥5.00; what is unknown is not failed"}},
	sample{name: "a decline told again after another key succeeded", h: h().pay("A", 500).decline("A", "T1", 500).answer("A", "K1", history.Declined).debit("A", "T2", 500).
		row("A", "SUCCESS").answer("A", "K2", history.Confirmed).answer("A", "K1", history.Declined).rest(), want: Pass},
	sample{name: "a decline that arrives after another key succeeded", h: h().pay("A", 500).decline("A", "T1", 500).debit("A", "T2", 500).
		row("A", "SUCCESS").answer("A", "K2", history.Confirmed).slow(3, "A", "K1", history.Declined).rest(), want: Pass},
	sample{name: "the row of a failed attempt beside the paid one, first seen late", h: h().pay("A", 500).decline("A", "T1", 500).debit("A", "T2", 500).
		rowID("r1", "A", "FAILED", trade("T1")).rowID("r2", "A", "SUCCESS", trade("T2")).rest(), want: Pass},
	sample{name: "nothing was sent, then paid under a new key", h: h().pay("A", 500).answer("A", "K1", history.Declined).slow(0, "A", "K2", history.Unknown).debit("A", "T2", 500).
		row("A", "SUCCESS").answer("A", "K2", history.Confirmed).rest(), want: Pass},
	sample{name: "the ledger was not read", h: h().pay("A", 500).row("A", "FAILED").rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
	sample{name: "a look into the books failed", h: h().good("A", 500).gap("rows").rest(), want: Inconclusive, reason: "rows"},
	sample{name: "never at rest", h: h().good("A", 500), want: Inconclusive, reason: "at rest"},
)

func TestUnknownIsNotFailed(t *testing.T) {
	judgeTable(t, UnknownIsNotFailed, unknownIsNotFailedSamples)
}
