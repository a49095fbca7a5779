package checks

import (
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// DebitsAccounted is I15. A debit of a payment that is still open at rest may yet be matched: that nobody does so is the
// business of Settles.
var DebitsAccounted = register(Check{
	Name:      "debits-accounted",
	Invariant: "I15",
	Doc: "Every debit at the bank is in the service's books, and belongs to a SUCCESS row or was given back; a debit beyond " +
		"what a payment is for is a surplus, which is lawful if it is recorded and given back.",
	Cause: "A success that comes for a payment which is paid, failed or closed already is dropped as a duplicate, though its " +
		"trade number is another and the money was really taken.",
	judge: judgeDebitsAccounted,
})

func judgeDebitsAccounted(v *view) Result {
	const needs = needLedger | needRest
	if !v.target.Rows {
		return notApplicable(noRows)
	}
	if v.rest == nil {
		return v.judged(nil, needs)
	}
	var findings []Finding
	judged := false
	for _, s := range v.stories {
		all := debits(s.bank)
		judged = judged || len(all) > 0
		for _, d := range s.unmatched(all) {
			message := v.unaccounted(s, d)
			if message == "" {
				continue
			}
			var p proofs
			p.ledger(moved(s.bank)...)
			p.rows(v.restAt, s.rows...)
			for _, r := range s.surplus {
				p.add(v.restAt, "the service has recorded a surplus of %s%s, state %s", money.Text(r.Amount, r.Currency), numbered(r.TradeNo), r.State)
			}
			findings = append(findings, Finding{s.order, "order " + s.order + ": " + message, p.lines()})
		}
	}
	if res := v.judged(findings, needs); res.Status != Pass || judged {
		return res
	}
	return notApplicable("the bank took nothing for any payment")
}

// unmatched are the debits that belong to no paid row. Each row has one: of its number, else the first that is left.
func (s *story) unmatched(all []*debit) []*debit {
	rest := slices.Clone(all)
	var nameless int
	for _, r := range s.paidRows() {
		i := slices.IndexFunc(rest, func(d *debit) bool { return r.TradeNo != "" && (r.TradeNo == d.V.TradeNo || r.TradeNo == d.V.BankID) })
		switch {
		case i >= 0:
			rest = slices.Delete(rest, i, i+1)
		case r.TradeNo == "":
			nameless++
		}
	}
	for range nameless {
		i := slices.IndexFunc(rest, func(d *debit) bool { return d.left > 0 })
		if i < 0 {
			i = 0
		}
		if len(rest) > 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return rest
}

// unaccounted says what is wrong with a debit that belongs to no paid row, or nothing.
func (v *view) unaccounted(s *story, d *debit) string {
	recorded := s.records(d)
	took := money.Text(d.V.Amount, d.V.Currency) + numbered(d.V.TradeNo)
	switch {
	case d.left == 0:
		if len(s.paidRows()) > 0 && v.target.Surplus && !recorded && d.returned && v.sees(needRest) {
			return fmt.Sprintf("the bank took %s and gave it back, and the service has no record of either", took)
		}
		return ""
	case len(s.open()) > 0 && len(s.paidRows()) == 0:
		return ""
	case !recorded && v.sees(needRest):
		return fmt.Sprintf("the bank took %s, and the service has no record of it", took)
	case recorded && s.claimsBack(d):
		return fmt.Sprintf("the bank took %s, which the service calls given back, and still holds %s", took, money.Text(d.left, d.V.Currency))
	case recorded:
		return fmt.Sprintf("the bank took %s; the service knows of it, and neither is it what a SUCCESS row stands for nor was it given back", took)
	}
	return ""
}

// records reports whether the service's books name the debit anywhere.
func (s *story) records(d *debit) bool {
	is := func(number string) bool { return number != "" && (number == d.V.TradeNo || number == d.V.BankID) }
	return slices.ContainsFunc(s.rows, func(r *history.Row) bool { return is(r.TradeNo) }) || slices.ContainsFunc(s.recorded, is) ||
		slices.ContainsFunc(s.surplus, func(r *history.SurplusRow) bool { return is(r.TradeNo) })
}

func (s *story) claimsBack(d *debit) bool {
	return slices.ContainsFunc(s.surplus, func(r *history.SurplusRow) bool {
		return r.TradeNo == d.V.TradeNo && (r.State == history.StateSuccess || r.State == history.StateRefunded)
	})
}
