package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var refundsBoundedSamples = tabled(RefundsBounded,
	sample{name: "one refund of the whole", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "60 and 60 of 100", h: full().good("A", 100).returned("A", "r1", 60).returned("A", "r2", 60).row("A", "REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: the bank gave back ¥1.20 of ¥1.00 that it took under trade number TA"}},
	sample{name: "60 and 40 of 100", h: full().good("A", 100).returned("A", "r1", 60).returned("A", "r2", 40).row("A", "REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "more than was taken of one number, less than of both", h: full().good("A", 100).debit("A", "T2", 100).over("A", "T2", "PENDING", 100).
		returned("A", "r1", 60).returned("A", "r2", 60).row("A", "REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: the bank gave back ¥1.20 of ¥1.00 that it took under trade number TA"}},
	sample{name: "one refund id under two numbers, both in the books", h: full().good("A", 500).returned("A", "r1", 100).refund("A", "TA", 100, refundNo("F9")).
		giving("A", "x", "SUCCESS", 100, func(r *history.RefundRow) { r.RefundID, r.RefundNo = "r1", "F9" }).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: refund r1 was given back twice, under refund numbers Fr1 and F9"}},
	sample{name: "a second number that the books do not name", h: full().good("A", 500).returned("A", "r1", 100).refund("A", "TA", 100, refundNo("F9")).
		row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: the bank gave back ¥1.00 under refund number F9, of which the service knows nothing"}},
	sample{name: "SUCCESS, and the bank gave nothing", h: full().good("A", 500).back("A", "r1", 100, history.Confirmed).giving("A", "r1", "SUCCESS", 100).
		row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: refund r1 of ¥1.00 is SUCCESS at the service, and the bank never gave it back"}},
	sample{name: "FAILED, and the bank gave it", h: full().good("A", 500).back("A", "r1", 100, history.Unknown).refund("A", "TA", 100, refundNo("Fr1")).
		giving("A", "r1", "FAILED", 100).rest(), want: Fail,
		says: []string{"order A: refund r1 is FAILED at the service, and the bank gave ¥1.00 back for it"}},
	sample{name: "the whole in place of the part", h: full().good("A", 500).back("A", "r1", 100, history.Confirmed).refund("A", "TA", 500, refundNo("Fr1")).
		giving("A", "r1", "SUCCESS", 100).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: refund r1 is ¥1.00 at the service, and the bank gave back ¥5.00 for it"}},
	sample{name: "told done under a key of the payment", h: full().good("A", 500).back("A", "KA", 500, history.Confirmed).rest(), want: Fail,
		says: []string{"order A: a client was told that refund KA is done, and the service has no refund of that id that is SUCCESS"}},
	sample{name: "books without refund numbers", h: full().good("A", 500).back("A", "r1", 100, history.Confirmed).refund("A", "TA", 100, refundNo("F9")).
		giving("A", "r1", "SUCCESS", 100, func(r *history.RefundRow) { r.RefundNo = "" }).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "refunds cannot be read: two for one id", h: h().good("A", 500).back("A", "r1", 100, history.Confirmed).refund("A", "TA", 100, refundNo("F1")).
		refund("A", "TA", 100, refundNo("F2")).rest(), want: Fail, says: []string{"order A: the bank gave money back 2 times for 1 refund id"}},
	sample{name: "refunds cannot be read: told done, and nothing given", h: h().good("A", 500).back("A", "r1", 100, history.Confirmed).rest(), want: Fail,
		says: []string{"order A: clients were told that 1 refund are done, and the bank gave money back 0 times"}},
	sample{name: "refunds cannot be read: one for one id", h: h().good("A", 500).back("A", "r1", 500, history.Confirmed).refund("A", "TA", 500).row("A", "REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "a surplus given back by the service", h: full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).
		refund("A", "T2", 500, refundNo("FT2")).rest(), want: Pass},
	sample{name: "refused above the sum", h: full().good("A", 100).returned("A", "r1", 60).back("A", "r2", 60, history.Refused).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "nobody asked for one", h: full().good("A", 500).rest(), want: NotApplicable, reason: "no refund"},
	sample{name: "nothing was heard of it", h: full().good("A", 500).back("A", "r1", 500, history.Unknown).rest(), want: Inconclusive, reason: "got an answer"},
	sample{name: "the ledger was not read", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
)

func TestRefundsBounded(t *testing.T) { judgeTable(t, RefundsBounded, refundsBoundedSamples) }
