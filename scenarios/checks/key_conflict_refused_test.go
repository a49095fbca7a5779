package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

var keyConflictRefusedSamples = tabled(KeyConflictRefused,
	sample{name: "refused", h: h().good("A", 500).answer("A", "KA", history.Refused, asked(700)).rest(), want: Pass},
	sample{name: "confirmed for another amount", h: h().good("A", 500).answer("A", "KA", history.Confirmed, asked(700)).rest(), want: Fail,
		says: []string{"key KA was used for ¥5.00 by WECHAT of order A and came back with ¥7.00, and that was answered confirmed instead of refused"}},
	sample{name: "taken on for another channel", h: h().good("A", 500).answer("A", "KA", history.Pending, channel("ALIPAY")).rest(), want: Fail,
		says: []string{"key KA was used for ¥5.00 by WECHAT of order A and came back with channel ALIPAY, and that was answered pending instead of refused"}},
	sample{name: "confirmed for another order", h: h().good("A", 500).good("B", 500).answer("B", "KA", history.Confirmed).rest(), want: Fail,
		says: []string{"key KA was used for ¥5.00 by WECHAT of order A and came back with order B, and that was answered confirmed instead of refused"}},
	sample{name: "no answer, and debited all the same", h: h().good("A", 500).answer("A", "KA", history.Unknown, asked(700)).debit("A", "T2", 700).rest(), want: Fail,
		says: []string{"key KA was used for ¥5.00 by WECHAT of order A and came back with ¥7.00, and that led to a debit of ¥7.00"}},
	sample{name: "that amount was debited for another key", h: h().good("A", 500).answer("A", "KA", history.Refused, asked(700)).answer("A", "K2", history.Unknown, asked(700)).debit("A", "T2", 700).rest(), want: Pass},
	sample{name: "the first was lost on the way: the second is the first that the service sees", h: h().pay("A", 500).answer("A", "K", history.Unknown).debit("A", "T1", 700).
		answer("A", "K", history.Confirmed, asked(700)).rest(), want: Inconclusive, reason: "got an answer"},
	sample{name: "and when the lost one comes back it is refused", h: h().pay("A", 500).answer("A", "K", history.Unknown).debit("A", "T1", 700).
		answer("A", "K", history.Confirmed, asked(700)).answer("A", "K", history.Refused).rest(), want: Pass},
	sample{name: "and then the lost one comes back and is carried out too", h: h().pay("A", 500).answer("A", "K", history.Unknown).debit("A", "T1", 700).
		answer("A", "K", history.Confirmed, asked(700)).answer("A", "K", history.Confirmed).rest(), want: Fail,
		says: []string{"key K was used for ¥7.00 by WECHAT of order A and came back with ¥5.00, and that was answered confirmed instead of refused"}},
	sample{name: "no conflicting request was answered", h: h().good("A", 500).answer("A", "KA", history.Unknown, asked(700)).rest(), want: Inconclusive, reason: "got an answer"},
	sample{name: "the ledger was not read", h: h().good("A", 500).answer("A", "KA", history.Refused, asked(700)).rest().gap("ledger"), want: Inconclusive, reason: "ledger"},
	sample{name: "no conflict, but not all was recorded", h: h().good("A", 500).rest().gap("attempts"), want: Inconclusive, reason: "recorded"},
	sample{name: "the same key of two merchants", h: other(h().good("A", 500).pay("B", 500)).debit("B", "TB", 500).row("B", "SUCCESS", trade("TB")).answer("B", "KA", history.Confirmed, named("pB")).rest(),
		want: Pass},
	sample{name: "the same key of two merchants, and the second is told the payment of the first", h: other(h().pay("P", 100).good("A", 500).answer("A", "KA", history.Confirmed, named("pA")).pay("B", 500)).
		answer("B", "KA", history.Confirmed, named("pA")).rest(), want: Fail,
		says: []string{"payment pA of merchant M was told to merchant N, who had asked with key KA for order B"}},
	sample{name: "another merchant asks with key and order of the first, and is told its payment", h: h().good("A", 500).answer("A", "KA", history.Confirmed, named("pA")).
		answer("A", "KA", history.Confirmed, named("pA"), by("N")).rest(), want: Fail,
		says: []string{"payment pA of merchant M was told to merchant N, who had asked with key KA for order A"}},
	sample{name: "and is refused", h: h().good("A", 500).answer("A", "KA", history.Confirmed, named("pA")).answer("A", "KA", history.Refused, by("N")).rest(), want: Pass},
	sample{name: "without a key, an unpaid order is answered with the payment of another", h: h().pay("A", 500).debit("A", "TA", 500).row("A", "SUCCESS", trade("TA")).answer("A", "", history.Confirmed, named("pA")).
		pay("B", 500).answer("B", "", history.Confirmed, named("pA")).rest(), want: Fail,
		says: []string{"order B, asked for with key none, was answered SUCCESS with payment pA, which is that of order A, and the bank had taken no money for it"}},
	sample{name: "one payment for two orders, whose money a ledger tells only after the answers", h: h().pay("A", 500).answer("A", "", history.Confirmed, named("pA")).
		debit("A", "TA", 500).row("A", "SUCCESS", trade("TA")).pay("B", 500).answer("B", "", history.Confirmed, named("pA")).
		debit("B", "TB", 500).row("B", "SUCCESS", trade("TB")).rest(), want: NotApplicable, reason: "no key"},
	sample{name: "one payment for two orders, and the money of both was taken", h: h().pay("A", 500).debit("A", "TA", 500).row("A", "SUCCESS", trade("TA")).answer("A", "", history.Confirmed, named("pA")).
		pay("B", 500).debit("B", "TB", 500).row("B", "SUCCESS", trade("TB")).answer("B", "", history.Confirmed, named("pA")).rest(), want: NotApplicable, reason: "no key"},
	sample{name: "a refund id with another amount, carried out", h: full().good("A", 500).returned("A", "r1", 100).back("A", "r1", 200, history.Confirmed).
		row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"refund id r1 was used for ¥1.00 of order A and came back with ¥2.00, and that was answered confirmed instead of refused"}},
	sample{name: "a refund id with another amount, refused", h: full().good("A", 500).returned("A", "r1", 100).back("A", "r1", 200, history.Refused).
		row("A", "PARTLY_REFUNDED", trade("TA")).rest(), want: Pass},
	sample{name: "no key at all", h: h().pay("A", 500).answer("A", "", history.Confirmed).answer("A", "", history.Confirmed, asked(700)).rest(), want: NotApplicable, reason: "no key"},
	sample{name: "a target that promises nothing", h: unpromising(h().good("A", 500).answer("A", "KA", history.Confirmed, asked(700))).rest(), want: NotApplicable, reason: "does not promise"},
)

func by(merchant string) func(*history.Attempt) {
	return func(a *history.Attempt) { a.Merchant = merchant }
}

func other(b *build) *build { b.payment.Merchant = "N"; return b }

func unpromising(b *build) *build { b.target.RefusesOtherBody = false; return b }

func TestKeyConflictRefused(t *testing.T) {
	judgeTable(t, KeyConflictRefused, keyConflictRefusedSamples)
}
