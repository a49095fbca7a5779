package checks

import (
	"testing"

	"onedebit/scenarios/history"
)

// takenOn is a payment that the bank has taken on and not decided.
func takenOn() *build {
	return full().good("P", 100).pay("A", 500).accept("A", "T1", 500).bankSaid("A", "PROCESSING", history.Passed).row("A", "PROCESSING", trade("T1")).read()
}

func ofAmount(n int64) func(*history.SentCallback) {
	return func(c *history.SentCallback) { c.Amount = n }
}

func nobodys(c *history.SentCallback) { c.Order = "" }

var onlyAuthenticCallbacksSamples = tabled(OnlyAuthenticCallbacks,
	sample{name: "refused, and nothing changed", h: takenOn().notify("A", "T1", "SUCCESS", "signature", 401).read().
		debit("A", "T1", 500).callback("A", "T1", "SUCCESS").row("A", "SUCCESS", trade("T1")).rest(), want: Pass},
	sample{name: "a forged success believed", h: takenOn().notify("A", "T1", "SUCCESS", "signature", 200).row("A", "SUCCESS", trade("T1")).read().
		debit("A", "T1", 500).callback("A", "T1", "SUCCESS").rest(), want: Fail,
		says: []string{"order A: its row is SUCCESS, which the bank had not said, as a false notification said (signature)"}},
	sample{name: "an altered amount believed, while the bank's own answer was lost", h: full().good("P", 100).pay("A", 500).debit("A", "T1", 500).bankSaid("A", "SUCCESS", history.Lost).
		row("A", "UNKNOWN", trade("T1")).read().notify("A", "T1", "SUCCESS", "amount", 200, ofAmount(1)).row("A", "SUCCESS", trade("T1")).rest(), want: Fail,
		says: []string{"order A: its row is SUCCESS, which the bank had not said, as a false notification said (amount)"}},
	sample{name: "the same, where the bank's own answer arrived", h: full().good("P", 100).pay("A", 500).debit("A", "T1", 500).bankSaid("A", "SUCCESS", history.Late).
		row("A", "UNKNOWN", trade("T1")).read().notify("A", "T1", "SUCCESS", "amount", 200, ofAmount(1)).row("A", "SUCCESS", trade("T1")).rest(), want: Pass},
	sample{name: "the same, where the bank's own notification arrived", h: full().good("P", 100).pay("A", 500).debit("A", "T1", 500).bankSaid("A", "SUCCESS", history.Lost).
		row("A", "UNKNOWN", trade("T1")).read().notify("A", "T1", "SUCCESS", "amount", 200, ofAmount(1)).callback("A", "T1", "SUCCESS").row("A", "SUCCESS", trade("T1")).rest(), want: Pass},
	sample{name: "an altered amount written down", h: takenOn().debit("A", "T1", 500).callback("A", "T1", "SUCCESS").row("A", "SUCCESS", trade("T1")).read().
		notify("A", "T1", "SUCCESS", "amount", 200, ofAmount(1)).row("A", "SUCCESS", trade("T1"), amount(1)).rest(), want: Fail,
		says: []string{"order A: its row says ¥0.01 as a false notification said (amount)"}},
	sample{name: "a forged failure believed", h: takenOn().notify("A", "T1", "FAILED", "signature", 200).row("A", "FAILED", trade("T1")).read().rest(), want: Fail,
		says: []string{"order A: its row became FAILED, which the bank had not said, as a false notification said (signature)"}},
	sample{name: "a forged failure refused, and the bank's own later", h: takenOn().notify("A", "T1", "FAILED", "signature", 401).read().decline("A", "T1", 500).
		row("A", "FAILED", trade("T1")).rest(), want: Pass},
	sample{name: "an old success after the refund", h: full().good("A", 500).returned("A", "r1", 500).row("A", "REFUNDED", trade("TA")).read().
		notify("A", "TA", "SUCCESS", "too old", 200).row("A", "SUCCESS", trade("TA")).read().row("A", "REFUNDED", trade("TA")).rest(), want: Fail,
		says: []string{"order A: its row went back from REFUNDED to SUCCESS as a false notification said (too old)"}},
	sample{name: "an old success of a paid order, acknowledged", h: full().good("A", 500).notify("A", "TA", "SUCCESS", "too old", 200).rest(), want: Pass},
	sample{name: "a true one that was sent on purpose", h: takenOn().debit("A", "T1", 500).notify("A", "T1", "SUCCESS", "", 200).row("A", "SUCCESS", trade("T1")).rest(), want: NotApplicable, reason: "no false notification"},
	sample{name: "an unknown number that was parked", h: full().good("A", 500).notify("", "T9", "SUCCESS", "no such trade number", 200, nobodys).rest(), want: Pass},
	sample{name: "an unknown number that became a payment", h: full().good("A", 500).notify("", "T9", "SUCCESS", "no such trade number", 200, nobodys).
		rowID("x", "O-9", "SUCCESS", trade("T9")).rest(), want: Fail,
		says: []string{"the service has a row for a payment that nobody made: a false notification spoke of it (no such trade number)"}},
	sample{name: "none arrived", h: takenOn().notify("A", "T1", "SUCCESS", "signature", 0).debit("A", "T1", 500).callback("A", "T1", "SUCCESS").row("A", "SUCCESS", trade("T1")).rest(),
		want: Inconclusive, reason: "got an answer"},
	sample{name: "a service that promises nothing of the kind", h: h().good("A", 500).notify("A", "TA", "SUCCESS", "signature", 200).rest(), want: NotApplicable, reason: "does not promise"},
	sample{name: "rows that nobody can read", h: blind(full().good("A", 500)).rest(), want: NotApplicable, reason: noRows},
	sample{name: "a look into the books failed", h: full().good("A", 500).notify("A", "TA", "SUCCESS", "signature", 401).gap("rows").rest(), want: Inconclusive, reason: "rows"},
)

func TestOnlyAuthenticCallbacks(t *testing.T) {
	judgeTable(t, OnlyAuthenticCallbacks, onlyAuthenticCallbacksSamples)
}
