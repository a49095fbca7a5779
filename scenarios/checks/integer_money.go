package checks

import (
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// IntegerMoney is I13. It compares every amount that was seen anywhere with what was asked for; what a key that came back
// with another amount may do is the business of KeyConflictRefused.
var IntegerMoney = register(Check{
	Name:      "integer-money",
	Invariant: "I13",
	Doc: "An amount is the same number of minor units of the same currency wherever it appears: as asked for, in the " +
		"service's rows, at the bank, and in refunds and surplus debits.",
	Cause: "Amounts are kept as floating point, multiplied by 100 whatever the currency, or taken from what is due instead " +
		"of from what the bank reports.",
	judge: judgeIntegerMoney,
})

func judgeIntegerMoney(v *view) Result {
	needs := needLedger
	if v.target.Rows {
		needs |= needReadings
	}
	var findings []Finding
	compared := 0
	for _, s := range v.stories {
		a := audit{story: s, asked: s.sumsAsked()}
		a.judgeBank()
		a.judgeRows()
		a.judgeRefunds()
		a.judgeSurplus()
		compared += a.compared
		findings = append(findings, a.findings...)
	}
	if res := v.judged(findings, needs); res.Status != Pass || compared > 0 {
		return res
	}
	return inconclusive("no amount of any payment was seen at the bank or in the service's books")
}

// sum is an amount of minor units with its currency.
type sum struct {
	amount   int64
	currency string
}

func (s sum) text() string { return money.Text(s.amount, s.currency) }

// sumsAsked are the sums that any client ever asked to pay under the order.
func (s *story) sumsAsked() []sum {
	var out []sum
	for _, p := range s.asked {
		out = append(out, sum{p.Amount, p.Currency})
	}
	for _, attempts := range [][]*history.Attempt{s.answers, s.foreign} {
		for _, a := range attempts {
			if one := (sum{a.Amount, a.Currency}); a.Op == history.OpPay && !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return out
}

// audit compares the amounts of one payment. Each contradiction is told once, however often it was seen.
type audit struct {
	*story
	asked    []sum
	compared int
	told     []string
	findings []Finding
}

func (a *audit) find(p proofs, format string, args ...any) {
	message := "order " + a.order + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(a.told, message) {
		a.told = append(a.told, message)
		a.findings = append(a.findings, Finding{a.order, message, p.lines()})
	}
}

func (a *audit) judgeBank() {
	for _, l := range a.bank {
		one := sum{l.V.Amount, l.V.Currency}
		deed := "was asked for"
		switch {
		case l.V.Kind == history.LedgerDebit:
			deed = "took"
		case l.V.Op != opDebit || one == sum{}:
			continue
		case l.V.Kind != history.LedgerRequest && l.V.Kind != history.LedgerAccept && l.V.Kind != history.LedgerDecline:
			continue
		}
		if a.compared++; !slices.Contains(a.asked, one) {
			var p proofs
			p.ledger(l)
			a.find(p, "a client asked to pay %s, and the bank %s %s", a.asked[0].text(), deed, one.text())
		}
	}
}

func (a *audit) judgeRows() {
	for _, x := range a.seen {
		one := sum{x.row.Amount, x.row.Currency}
		if a.compared++; !slices.Contains(a.asked, one) {
			var p proofs
			p.rows(x.at, x.row)
			a.find(p, "a client asked to pay %s, and the service's row says %s", a.asked[0].text(), one.text())
		}
	}
}

// judgeRefunds compares the refunds that clients asked for with the service's books and, by refund number, with the bank.
func (a *audit) judgeRefunds() {
	asked := map[string][]sum{}
	for _, r := range a.refunds {
		asked[r.RefundID] = append(asked[r.RefundID], sum{r.Amount, r.Currency})
	}
	for _, t := range a.returns {
		if t.Op == history.OpRefund {
			asked[t.RefundID] = append(asked[t.RefundID], sum{t.Amount, t.Currency})
		}
	}
	ids := map[string]string{}
	for _, x := range a.givingsSeen {
		want, one := asked[x.row.RefundID], sum{x.row.Amount, x.row.Currency}
		if x.row.RefundID == "" || len(want) == 0 {
			continue
		}
		if x.row.RefundNo != "" {
			ids[x.row.RefundNo] = x.row.RefundID
		}
		if a.compared++; !slices.Contains(want, one) {
			var p proofs
			p.givings(x.at, x.row)
			a.find(p, "a client asked for %s back with refund %s, and the service's row says %s", want[0].text(), x.row.RefundID, one.text())
		}
	}
	for _, l := range a.bank {
		id := ids[l.V.RefundNo]
		if l.V.Kind != history.LedgerRefund || id == "" {
			continue
		}
		if one := (sum{l.V.Amount, l.V.Currency}); !slices.Contains(asked[id], one) {
			var p proofs
			p.ledger(l)
			a.find(p, "a client asked for %s back with refund %s, and the bank gave back %s", asked[id][0].text(), id, one.text())
		}
	}
}

func (a *audit) judgeSurplus() {
	for _, r := range a.surplus {
		one := sum{r.Amount, r.Currency}
		i := slices.IndexFunc(a.bank, func(l line) bool { return l.V.Kind == history.LedgerDebit && l.V.TradeNo == r.TradeNo })
		if i < 0 {
			continue
		}
		if took := (sum{a.bank[i].V.Amount, a.bank[i].V.Currency}); took != one {
			var p proofs
			p.ledger(a.bank[i])
			p.add(a.bank[i].Time, "the service has recorded a surplus of %s%s", one.text(), numbered(r.TradeNo))
			a.find(p, "the bank took a surplus of %s, and the service has recorded %s for it", took.text(), one.text())
		}
	}
}
