package checks

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

var oneDebitSamples = tabled(OneDebit,
	sample{name: "one debit", h: h().good("O-17", 500).rest(), want: Pass},
	sample{name: "two numbers", h: h().good("O-17", 500).debit("O-17", "T2", 500).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order O-17; the service has 1 SUCCESS row"}},
	sample{name: "one number debited twice", h: h().good("O-17", 500).debit("O-17", "TO-17", 500).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order O-17; the service has 1 SUCCESS row"}},
	sample{name: "a surplus given back only in part", h: h().good("A", 500).debit("A", "T2", 500).refund("A", "T2", 200).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 and ¥3.00 for order A; the service has 1 SUCCESS row"}},
	sample{name: "a surplus given back in two parts", h: h().good("A", 500).debit("A", "T2", 500).refund("A", "T2", 200).refund("A", "T2", 300).rest(), want: Pass},
	sample{name: "a surplus reversed", h: h().good("A", 500).debit("A", "T2", 500).reverse("A", "T2", 500).rest(), want: Pass},
	sample{name: "the refund of another number takes no surplus away", h: h().good("A", 500).debit("A", "T2", 500).refund("A", "T9", 500).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order A; the service has 1 SUCCESS row"}},
	sample{name: "a declined refund gives nothing back", h: h().good("A", 500).debit("A", "T2", 500).
		ledger(history.LedgerDecline, "A", "T2", 500, func(e *history.LedgerEntry) { e.Op = "refund" }).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order A; the service has 1 SUCCESS row"}},
	sample{name: "two orders", h: h().good("A", 500).good("B", 500).rest(), want: Pass},
	sample{name: "a probe is judged like any other", h: probe(h().good("A", 500)).debit("A", "T2", 500).rest(), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order A; the service has 1 SUCCESS row"}},
	sample{name: "a ledger read in part shows enough", h: h().good("A", 500).debit("A", "T2", 500).rest().gap("ledger"), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order A; the service has 1 SUCCESS row"}},
	sample{name: "no rows at rest", h: h().good("A", 500).debit("A", "T2", 500).phase(history.PhaseObserve).gap("rows"), want: Fail,
		says: []string{"the bank holds 2 debits of ¥5.00 for order A"}},
	sample{name: "the ledger was not read", h: h().good("A", 500).rest().gap("ledger"), want: Inconclusive, reason: "ledger could not be observed"},
	sample{name: "confirmed and an empty ledger", h: h().pay("A", 500).answer("A", "K", history.Confirmed).rest(), want: Inconclusive, reason: "it has no line"},
	sample{name: "an empty ledger where nobody was told anything", h: h().pay("A", 500).answer("A", "K", history.Refused).rest(), want: Pass},
	sample{name: "never at rest: the surplus may yet be given back", h: h().good("A", 500).debit("A", "T2", 500), want: Inconclusive, reason: "at rest"},
)

func probe(b *build) *build { b.payment.Probe = true; return b }

func TestOneDebit(t *testing.T) { judgeTable(t, OneDebit, oneDebitSamples) }

func TestEvidenceIsInTimeOrderWithTimes(t *testing.T) {
	res := OneDebit.Run(h().good("A", 500).debit("A", "T2", 500).rest().history())
	assert.Equal(t, []string{
		"0.030 s  the bank took ¥5.00 under trade number TA",
		"0.060 s  the bank took ¥5.00 under trade number T2",
		"0.090 s  the service's row row-A is SUCCESS: ¥5.00 under trade number TA",
	}, res.Findings[0].Evidence)
}

func TestEvidenceIsBounded(t *testing.T) {
	b := h().good("A", 500)
	for range 3 * maxEvidence {
		b.debit("A", "TA", 500)
	}
	lines := OneDebit.Run(b.rest().history()).Findings[0].Evidence
	assert.Len(t, lines, maxEvidence+1)
	assert.Equal(t, "… and 50 more observations", lines[maxEvidence])
}
