package checks

import (
	"cmp"
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// Settles is I5. A payment that the bank itself has not decided may stay open: nobody could finish it.
var Settles = register(Check{
	Name:      "settles",
	Invariant: "I5",
	Doc:       "Once the faults are over, every payment that was taken on becomes final, no work is left lying, and whoever was told to try again can.",
	Cause: "A payment that was interrupted is picked up by nobody: no reconciliation asks the bank, a key or lock is " +
		"never released or used up for nothing, or a message is lost between commit and queue.",
	judge: judgeSettles,
})

func judgeSettles(v *view) Result {
	const needs = needRest
	var findings []Finding
	settled, waited := v.history.Settled()
	if waited && !settled.OK {
		findings = append(findings, unsettled(v, settled))
	}
	if !v.target.Rows {
		if len(findings) == 0 {
			return notApplicable(noRows)
		}
		return v.judged(findings, 0)
	}
	if v.rest != nil {
		findings = append(findings, v.leftOpen()...)
		findings = append(findings, v.leftUnreturned()...)
		findings = append(findings, v.leftTurnedAway()...)
		if v.rest.Waiting > 0 {
			var p proofs
			p.add(v.restAt, "%s left at the service", counted(v.rest.Waiting, "piece")+" of work")
			findings = append(findings, Finding{"", fmt.Sprintf("at rest the service still has %s of work to do, and does not do it",
				counted(v.rest.Waiting, "piece")), p.lines()})
		}
	}
	res := v.judged(findings, needs)
	if res.Status == Pass && !waited {
		return inconclusive("nobody waited for the service to come to rest")
	}
	return res
}

func unsettled(v *view, settled history.Settled) Finding {
	moving := settled.Moving
	if moving == "" {
		moving = "ledger or rows were still changing"
	}
	at := max(v.observed, v.restAt)
	var p proofs
	p.add(max(at, 0), "after %s of at most %s: %s", seconds(settled.Waited), seconds(settled.Within), moving)
	return Finding{"", "the service did not come to rest within " + seconds(settled.Within) + " after the faults were over: " + moving, p.lines()}
}

// leftOpen are the payments that are not final at rest, or of which a client was told and the service knows nothing.
func (v *view) leftOpen() []Finding {
	var out []Finding
	for _, s := range v.stories {
		waitsFor := undecided(s.bank)
		open := slices.DeleteFunc(s.open(), func(r *history.Row) bool { return bankOwes(waitsFor, r) })
		answer, told := s.accepted()
		var p proofs
		message := ""
		switch {
		case len(open) > 0:
			message = "order " + s.order + " is still " + words(open) + " at rest"
			if held := standing(debits(s.bank)); len(held) > 0 {
				message += " while the bank holds " + sums(held) + " for it"
			}
			message += ": nobody finishes it"
		case len(s.rows) == 0 && answer != nil && v.sees(needRest) && (!v.target.OnlyPaid || answer.Outcome == history.Confirmed):
			message = "a client was told that order " + s.order + " was " + told + ", and the service has no row for it"
			p.answers(answer)
			p.add(v.restAt, "the service has no row for order %s", s.order)
		default:
			continue
		}
		p.ledger(moved(s.bank)...)
		p.rows(v.restAt, open...)
		out = append(out, Finding{s.order, message, p.lines()})
	}
	return out
}

// leftUnreturned are the refunds that are not final at rest, or of which a client was told and the service knows nothing.
func (v *view) leftUnreturned() []Finding {
	var out []Finding
	for _, s := range v.stories {
		known := map[string]bool{}
		for _, r := range s.givings {
			known[r.RefundID] = true
			if r.State == history.StateSuccess || ended(r.State) {
				continue
			}
			var p proofs
			p.givings(v.restAt, r)
			p.ledger(moved(s.bank)...)
			out = append(out, Finding{s.order, fmt.Sprintf("order %s: its refund %s of %s is still %s at rest: nobody finishes it", s.order,
				cmp.Or(r.RefundID, r.RefundNo, r.ID), money.Text(r.Amount, r.Currency), r.State), p.lines()})
		}
		if !v.target.Refunds || !v.sees(needRest) {
			continue
		}
		for _, a := range s.returns {
			if known[a.RefundID] || a.Outcome != history.Pending {
				continue
			}
			known[a.RefundID] = true
			var p proofs
			p.answers(a)
			p.add(v.restAt, "the service has no refund %s", a.RefundID)
			out = append(out, Finding{s.order, fmt.Sprintf("a client was told that refund %s of order %s was under way, and the service has no row for it",
				a.RefundID, s.order), p.lines()})
		}
	}
	return out
}

// bankOwes reports whether the bank itself has not decided the debit that the row stands for.
func bankOwes(waitsFor []line, r *history.Row) bool {
	return slices.ContainsFunc(waitsFor, func(l line) bool {
		return r.TradeNo == "" || r.TradeNo == l.V.TradeNo || r.TradeNo == l.V.BankID
	})
}

// accepted is the first answer that made a client believe that its payment was taken on, and what it was told.
func (s *story) accepted() (answer *history.Attempt, told string) {
	for _, a := range s.answers {
		switch a.Outcome {
		case history.Confirmed:
			return a, "paid"
		case history.Pending:
			return a, "under way"
		}
	}
	return nil, ""
}
