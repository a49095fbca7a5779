package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var sameAnswerSamples = tabled(SameAnswer,
	sample{name: "the first result again", h: h().good("A", 500).answer("A", "KA", history.Confirmed).rest(), want: Pass},
	sample{name: "under way, then paid", h: begun().answer("A", "K", history.Pending, state("PROCESSING")).answer("A", "K", history.Confirmed).row("A", "SUCCESS").rest(), want: Pass},
	sample{name: "paid and declined", h: h().good("A", 500).answer("A", "KA", history.Declined).rest(), want: Fail,
		says: []string{"order A: key KA got two contradictory final answers, SUCCESS and FAILED"}},
	sample{name: "declined by the bank, then carried out again under the same key", h: h().pay("A", 500).decline("A", "T1", 500).row("A", "FAILED", trade("T1")).read().
		answer("A", "K", history.Declined).debit("A", "T2", 500).row("A", "SUCCESS", trade("T2")).answer("A", "K", history.Confirmed).rest(), want: Fail,
		says: []string{"order A: key K got two contradictory final answers, SUCCESS and FAILED"}},
	sample{name: "a refund done and failed", h: full().good("A", 500).returned("A", "r1", 100).back("A", "r1", 100, history.Declined).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: refund r1 got two contradictory final answers, SUCCESS and FAILED"}},
	sample{name: "a refund done and done again", h: full().good("A", 500).returned("A", "r1", 100).back("A", "r1", 100, history.Confirmed).row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "told paid, and CLOSED at rest", h: h().good("P", 100).pay("A", 500).answer("A", "K", history.Confirmed).row("A", "CLOSED").rest(), want: Fail,
		says: []string{"order A: a client was told SUCCESS, and the payment is CLOSED at rest"}},
	sample{name: "declined, then the bank made that debit good", h: h().pay("A", 500).decline("A", "T1", 500).answer("A", "K", history.Declined).
		debit("A", "T1", 500).row("A", "SUCCESS", trade("T1")).answer("A", "K", history.Confirmed).rest(), want: Pass},
	sample{name: "told FAILED, ended SUCCESS", h: h().pay("A", 500).answer("A", "K", history.Declined).debit("A", "T1", 500).row("A", "SUCCESS", trade("T1")).rest(), want: Fail,
		says: []string{"order A: a client was told FAILED under key K, and the payment ended SUCCESS"}},
	sample{name: "a query told FAILED, ended SUCCESS", h: h().pay("A", 500).answer("A", "K", history.Unknown).answer("A", "", history.Declined, query).debit("A", "T1", 500).
		row("A", "SUCCESS", trade("T1")).rest(), want: Fail, says: []string{"order A: a client was told FAILED under key K, and the payment ended SUCCESS"}},
	sample{name: "declined, then paid under a new key", h: h().pay("A", 500).decline("A", "T1", 500).answer("A", "K1", history.Declined).debit("A", "T2", 500).
		row("A", "SUCCESS", trade("T2")).answer("A", "K2", history.Confirmed).rest(), want: Pass},
	sample{name: "told SUCCESS, ended FAILED", h: h().good("P", 100).pay("A", 500).answer("A", "K", history.Confirmed).row("A", "FAILED").rest(), want: Fail,
		says: []string{"order A: a client was told SUCCESS, and the payment is FAILED at rest"}},
	sample{name: "two payments named for one key", h: begun().row("A", "SUCCESS", trade("T1")).answer("A", "K", history.Confirmed, named("p2")).
		answer("A", "K", history.Pending, named("p1")).rest(), want: Fail, says: []string{"order A: the answers to key K name different payments, p1 and p2"}},
	sample{name: "two payments named for two keys", h: begun().row("A", "SUCCESS", trade("T1")).answer("A", "K1", history.Pending, named("p1")).
		answer("A", "K2", history.Confirmed, named("p2")).rest(), want: Pass},
	sample{name: "another body under the key is another question", h: h().good("A", 500).answer("A", "KA", history.Declined, asked(700)).rest(), want: Pass},
	sample{name: "a time-out, a refusal and a success", h: h().good("A", 500).answer("A", "KA", history.Unknown, state("FAILED")).answer("A", "KA", history.Refused, named("x")).rest(), want: Pass},
	sample{name: "nobody was answered", h: begun().row("A", "SUCCESS").answer("A", "K", history.Unknown).rest(), want: Inconclusive, reason: "no client got an answer"},
	sample{name: "the clients were not recorded", h: h().good("A", 500).rest().gap("attempts"), want: Inconclusive, reason: "attempts"},
	sample{name: "no reading at rest", h: h().good("A", 500), want: Inconclusive, reason: "at rest"},
	sample{name: "answers are enough where rows cannot be read", h: blind(h().good("A", 500)), want: Pass},
)

func TestSameAnswer(t *testing.T) { judgeTable(t, SameAnswer, sameAnswerSamples) }
