package checks

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/history"
)

// sample is one history with what its check must say of it.
type sample struct {
	name   string
	h      *build
	want   Status
	says   []string // the messages of the findings, in order
	reason string   // a part of the reason, where there is one
}

var tables = map[string][]sample{}

// tabled enters the histories of a check, so that they also serve the tests over all checks.
func tabled(c *Check, samples ...sample) []sample {
	tables[c.Name] = samples
	return samples
}

func judgeTable(t *testing.T, c *Check, samples []sample) {
	t.Helper()
	seen := map[Status]bool{}
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			res := c.Run(s.h.history())
			var says []string
			for _, f := range res.Findings {
				says = append(says, f.Message)
				assert.NotEmpty(t, f.Evidence, "evidence of %q", f.Message)
				inChinese(t, f.Message)
			}
			assert.Equal(t, s.want, res.Status, "%s %v", res.Reason, says)
			assert.Equal(t, s.says, says)
			assert.Contains(t, res.Reason, s.reason)
			inChinese(t, res.Reason)
			inChinese(t, c.Cause)
			assert.Equal(t, s.want == Inconclusive || s.want == NotApplicable, res.Reason != "", "a reason exactly where it is needed")
		})
		seen[s.want] = true
	}
	assert.True(t, seen[Pass], "a good history")
	assert.True(t, seen[Inconclusive], "a history with too little evidence")
}

// inChinese demands that what a check says is in the catalogue of phrases: a report may be asked for in Chinese.
func inChinese(t *testing.T, sentence string) {
	t.Helper()
	// What a history of these tests says in its own words is nobody's to translate.
	own := strings.NewReplacer("connection refused", "", "swallow the answer", "", "changes on and on", "", "no such trade number", "", "too old", "", "row of order A", "")
	told := own.Replace(reports.Tell("zh", sentence))
	assert.NotRegexp(t, `[a-z]{2,}['’]?s? [a-z]{2,}`, told, "reports/zh.txt has no phrase for %q", sentence)
}

// lawful are histories on which every check must stay silent.
func lawful() map[string]*build {
	declined := func() *build {
		return h().good("P", 100).pay("A", 500).decline("A", "T1", 500).rowID("r1", "A", "FAILED", trade("T1")).read().
			answer("A", "K1", history.Declined, state("FAILED"), named("r1"))
	}
	return map[string]*build{
		"a clean payment":                      h().good("A", 500).rest(),
		"two lawful orders of the same amount": h().good("A", 500).good("B", 500).rest(),
		"a decline, then success under a new key and a row of its own": declined().
			debit("A", "T2", 500).rowID("r2", "A", "SUCCESS", trade("T2")).read().
			answer("A", "K2", history.Confirmed, state("SUCCESS"), named("r2")).
			answer("A", "K1", history.Declined, state("FAILED"), named("r1")).rest(),
		"a decline, then success under a new key in the same row": declined().
			slow(0, "A", "K2", history.Unknown).debit("A", "T2", 500).rowID("r1", "A", "SUCCESS", trade("T2")).read().
			answer("A", "K2", history.Confirmed, state("SUCCESS"), named("r1")).
			answer("A", "K1", history.Declined, state("FAILED"), named("r1")).rest(),
		"a final decline": declined().rest(),
		"another merchant is paid for an order of the same number": namesake(h().good("A", 500)).rest(),
		"FAIL and then SUCCESS by the bank's own word": declined().callback("A", "T1", "FAILED").debit("A", "T1", 500).
			callback("A", "T1", "SUCCESS").rowID("r1", "A", "SUCCESS", trade("T1")).read().
			answer("A", "K1", history.Confirmed, state("SUCCESS"), named("r1")).rest(),
		"a surplus debit through a second channel that was given back": h().good("A", 500).
			debit("A", "T2", 500).refund("A", "T2", 500).rest(),
		"a number debited twice and given back once": h().pay("A", 500).debit("A", "T1", 500, bankID("B1")).debit("A", "T1", 500, bankID("B2")).
			refund("A", "T1", 500, bankID("B2")).row("A", "SUCCESS", trade("T1")).answer("A", "K", history.Confirmed).rest(),
		"PROCESSING while the bank itself is silent": h().good("P", 100).pay("A", 500).accept("A", "T1", 500).
			row("A", "PROCESSING", trade("T1")).read().answer("A", "K", history.Pending, state("PROCESSING")).rest(),
		"FAILED for good: the bank never had it and closed the number": h().good("P", 100).pay("A", 500).
			row("A", "UNKNOWN", trade("T1")).read().answer("A", "K", history.Unknown).
			ledger(history.LedgerClose, "", "T1", 0).row("A", "FAILED", trade("T1")).read().
			answer("A", "", history.Declined, query, state("FAILED")).rest(),
		"the same notification twice": h().good("A", 500).callback("A", "TA", "SUCCESS").callback("A", "TA", "SUCCESS").rest(),
		"FAILED, a debit that was on its way, given back": h().good("P", 100).pay("A", 500).row("A", "FAILED", trade("T1")).read().
			answer("A", "K", history.Declined, state("FAILED")).debit("A", "T1", 500).reverse("A", "T1", 500).rest(),
		"a service that refuses while its cache is down": h().good("P", 100).pay("A", 500).answer("A", "K", history.Refused).rest(),
		"the answer lost and the client told the result when it asks again": h().good("P", 100).pay("A", 500).
			row("A", "PROCESSING", trade("T1")).read().debit("A", "T1", 500).answer("A", "K", history.Unknown).
			answer("A", "K", history.Pending, state("PROCESSING")).row("A", "SUCCESS", trade("T1")).read().
			answer("A", "K", history.Confirmed, state("SUCCESS")).rest(),
		"a query that was overtaken by the success": h().good("P", 100).pay("A", 500).row("A", "PROCESSING", trade("T1")).debit("A", "T1", 500).
			row("A", "SUCCESS", trade("T1")).read().slow(5, "A", "", history.Pending, query, state("PROCESSING")).
			answer("A", "K", history.Confirmed).rest(),
		"a look into the books that failed and was made good": h().good("A", 500).rest(),
		"a conflict that was refused":                         h().good("A", 500).answer("A", "KA", history.Refused, asked(700)).rest(),
		"a surplus debit that was recorded and given back": full().good("A", 500).debit("A", "T2", 500).over("A", "T2", "REFUNDED", 500).
			refund("A", "T2", 500, refundNo("FT2")).giving("A", "s", "SUCCESS", 500, ofSurplus("FT2")).rest(),
		"refunded in two parts": full().good("A", 500).returned("A", "r1", 200).row("A", "PARTLY_REFUNDED", trade("TA")).read().
			returned("A", "r2", 300).row("A", "REFUNDED", trade("TA")).rest(),
		"refunded in part, in a service whose row stays SUCCESS": full().good("A", 500).returned("A", "r1", 200).rest(),
		"refunded, in a service whose refunds cannot be read": h().good("A", 500).back("A", "r1", 500, history.Confirmed).
			refund("A", "TA", 500, refundNo("F1")).row("A", "REFUNDED", trade("TA")).rest(),
		"refunded, and the payment asked for again is answered as the first time": full().good("A", 500).returned("A", "r1", 500).
			row("A", "REFUNDED", trade("TA")).read().answer("A", "KA", history.Confirmed, state("SUCCESS")).rest(),
		"a refund above the sum that was refused": full().good("A", 500).returned("A", "r1", 300).row("A", "PARTLY_REFUNDED", trade("TA")).read().
			back("A", "r2", 300, history.Refused).rest(),
		"a refund that the bank refused for good": full().good("A", 500).back("A", "r1", 500, history.Declined, state("FAILED")).
			ledger(history.LedgerDecline, "A", "TA", 500, refundNo("Fr1"), func(e *history.LedgerEntry) { e.Op = "refund" }).giving("A", "r1", "FAILED", 500).rest(),
		"closed, and a debit that was on its way given back": full().good("P", 100).pay("A", 500).row("A", "CLOSED", trade("T1")).read().
			debit("A", "T1", 500).over("A", "T1", "SUCCESS", 500).refund("A", "T1", 500, refundNo("FT1")).giving("A", "s", "SUCCESS", 500, ofSurplus("FT1")).rest(),
		"closed, and paid after all": full().good("P", 100).pay("A", 500).row("A", "CLOSED", trade("T1")).read().debit("A", "T1", 500).
			row("A", "SUCCESS", trade("T1")).rest(),
		"a false notification that was refused": full().good("P", 100).pay("A", 500).accept("A", "T1", 500).row("A", "PROCESSING", trade("T1")).read().
			notify("A", "T1", "SUCCESS", "signature", 401).debit("A", "T1", 500).callback("A", "T1", "SUCCESS").row("A", "SUCCESS", trade("T1")).rest(),
		"yen and dinars": h().payIn("J", 500, "JPY").debit("J", "TJ", 500, in("JPY")).row("J", "SUCCESS", trade("TJ")).
			answer("J", "KJ", history.Confirmed).payIn("D", 5000, "KWD").debit("D", "TD", 5000, in("KWD")).
			row("D", "SUCCESS", trade("TD")).answer("D", "KD", history.Confirmed).rest(),
	}
}

func TestLawfulHistoriesAreSilent(t *testing.T) {
	for name, b := range lawful() {
		for _, c := range All() {
			res := c.Run(b.history())
			assert.Contains(t, []Status{Pass, NotApplicable}, res.Status, "%s: %s: %s %v", name, c.Name, res.Reason, res.Findings)
		}
	}
}

// A check that never strikes alone adds nothing, or blames what is another's business.
func TestEachCheckStrikesAlone(t *testing.T) {
	for _, c := range All() {
		strikes := Fail
		if c == FaultWasFelt {
			strikes = Inconclusive // what it finds is about the experiment
		}
		alone := false
		for _, s := range tables[c.Name] {
			if s.want == strikes {
				alone = alone || !slices.ContainsFunc(All(), func(o *Check) bool { return o != c && o.Run(s.h.history()).Status == strikes })
			}
		}
		assert.True(t, alone, "%s: no bad history that only it finds", c.Name)
	}
}

func TestRegistryHygiene(t *testing.T) {
	require.NotEmpty(t, All())
	for _, c := range All() {
		file := strings.ReplaceAll(c.Name, "-", "_")
		assert.FileExists(t, file+".go", c.Name)
		assert.FileExists(t, file+"_test.go", c.Name)
		assert.True(t, strings.HasSuffix(c.Doc, "."), "%s: the doc is a sentence", c.Name)
		assert.NotEmpty(t, tables[c.Name], "%s: histories of its own", c.Name)
		if c.Invariant != "" {
			assert.NotEmpty(t, c.Cause, c.Name)
		}
		got, ok := Named(c.Name)
		assert.True(t, ok)
		assert.Same(t, c, got)
	}
	_, ok := Named("no-such-check")
	assert.False(t, ok)
	for name, bad := range map[string]Check{"twice": *OneDebit, "no name": {Doc: "d", judge: OneDebit.judge}, "no doc": {Name: "x", judge: OneDebit.judge}, "no judge": {Name: "x", Doc: "d"}} {
		assert.Panics(t, func() { register(bad) }, name)
	}
	assert.Len(t, All(), len(tables))
}

func TestEveryFileOfACheckIsRegistered(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		source, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		if strings.HasSuffix(f.Name(), "_test.go") || !strings.Contains(string(source), "= register(Check{") {
			continue
		}
		name := strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".go"), "_", "-")
		_, ok := Named(name)
		assert.True(t, ok, "%s registers a check of another name", f.Name())
	}
}

func TestACheckThatPanicsOrIsSilentIsInconclusive(t *testing.T) {
	for name, judge := range map[string]func(*view) Result{
		"panic":  func(*view) Result { panic("boom") },
		"silent": func(*view) Result { return Result{} },
	} {
		c := &Check{Name: name, judge: judge}
		assert.Equal(t, Inconclusive, c.Run(h().rest().history()).Status, name)
	}
}

// No history, however poor, may be passed by a check that had nothing to see.
func TestNoEvidenceNoPass(t *testing.T) {
	poor := map[string]*build{
		"nothing":                  h(),
		"no payment":               h().rest(),
		"a payment and no more":    h().pay("A", 500),
		"interrupted":              h().good("A", 500).gap("interrupted"),
		"interrupted at rest":      h().good("A", 500).rest().gap("interrupted"),
		"a gap of an unknown name": h().good("A", 500).rest().gap("moon"),
	}
	for name, b := range poor {
		for _, c := range All() {
			assert.Contains(t, []Status{Inconclusive, NotApplicable}, c.Run(b.history()).Status, "%s: %s", name, c.Name)
		}
	}
}
