package checks

import (
	"slices"
	"time"

	"onedebit/scenarios/history"
)

// SuccessIsFinal is I4, judged over all readings and all answers.
var SuccessIsFinal = register(Check{
	Name:      "success-is-final",
	Invariant: "I4",
	Doc: "A payment that was SUCCESS once, in a row or in an answer, is never in another state later, except that it may be " +
		"given back, in part or whole, where that was asked for.",
	Cause: "A late or old message (a FAIL callback, a time-out, a query answer from before) overwrites the row without " +
		"comparing it with the state that it expects there.",
	judge: judgeSuccessIsFinal,
})

func judgeSuccessIsFinal(v *view) Result {
	n := needReadings | needAnswers
	if !v.target.Rows {
		n = needAnswers
	} else if !v.answered() {
		n = needReadings // rows alone are enough; a client that heard nothing does not blind the books
	}
	var findings []Finding
	judged := false
	for _, s := range v.stories {
		claims := s.finalClaims()
		judged = judged || len(claims) > 0
		if f, broken := goesBack(s, claims); broken {
			findings = append(findings, f)
		}
	}
	if res := v.judged(findings, n); res.Status != Pass || judged {
		return res
	}
	return inconclusive("no row and no answer ever named the state of a payment")
}

// finalClaims are all claims about the states of a payment, by the row that they are about.
func (s *story) finalClaims() map[string][]claim {
	rows, answers := s.rowClaims(), s.answerClaims()
	ids, twins := map[string]bool{}, false
	for i, x := range s.seen {
		ids[x.row.ID] = true
		twins = twins || i > 0 && x.reading == s.seen[i-1].reading // two rows, though neither may have a name
	}
	named := map[string]bool{}
	for _, c := range answers {
		if c.answer.PaymentID != "" {
			named[c.answer.PaymentID] = true
		}
	}
	// With one row and one payment named, every claim is about the same thing, however each names it.
	single := len(ids) <= 1 && len(named) <= 1 && !twins
	oneKey := len(s.wordings()) <= 1
	out := map[string][]claim{}
	put := func(id string, c claim) {
		if single {
			id = ""
		}
		out[id] = append(out[id], c)
	}
	for _, c := range rows {
		put(c.row.ID, c)
	}
	for _, c := range answers {
		replayed := c.answer.Op == history.OpPay && c.state == history.StateFailed && !oneKey
		if !replayed && (single || c.answer.PaymentID != "") { // a replayed decline is of its own key
			put(c.answer.PaymentID, c)
		}
	}
	return out
}

// Steps of a payment's life: it may only go up.
const (
	stepOpen = iota // anything but paid
	stepPaid
	stepPartly
	stepBack
	steps
)

// step is how far a claim says that the payment has come. A client is told the first result again also when money was given
// back since, so that of an answer only counts whether it says paid. A row that says that money was given back, although
// nobody asked for that and the bank gave none back of its debit, says that it is not paid.
func (s *story) step(c claim) int {
	switch {
	case !wasPaid(c.state):
		return stepOpen
	case c.row == nil || c.state == history.StateSuccess:
		return stepPaid
	case !s.refunding() && !slices.ContainsFunc(s.bank, func(l line) bool {
		return l.V.Kind == history.LedgerRefund && (c.row.TradeNo == "" || l.V.TradeNo == c.row.TradeNo || l.V.BankID == c.row.TradeNo)
	}):
		return stepOpen
	case c.state == history.StatePartlyRefunded:
		return stepPartly
	}
	return stepBack
}

// goesBack finds a claim that was surely made after one that had come further.
func goesBack(s *story, byRow map[string][]claim) (Finding, bool) {
	var worst, success *claim
	for _, claims := range byRow {
		inTime(claims)
		if before, after := s.setBack(claims); after != nil && (worst == nil || after.at < worst.at || after.at == worst.at && after.state < worst.state) {
			worst, success = after, before
		}
	}
	if worst == nil {
		return Finding{}, false
	}
	where := "its row is"
	if worst.answer != nil {
		where = "a client was told that it is"
	}
	var p proofs
	success.prove(&p)
	worst.prove(&p)
	p.ledger(moved(s.bank)...)
	p.ledger(notices(s.bank)...)
	return Finding{s.order, "order " + s.order + " was " + success.state + ", and after that " + where + " " + worst.state, p.lines()}, true
}

// setBack finds the first claim that has come less far than one before it.
func (s *story) setBack(claims []claim) (before, after *claim) {
	var first [steps]*claim
	best := map[time.Duration]int{} // two readings of one instant do not contradict each other
	for i := range claims {
		best[claims[i].at] = max(best[claims[i].at], s.step(claims[i]))
	}
	for i := range claims {
		c := &claims[i]
		is := s.step(*c)
		limit := steps
		if c.row == nil {
			limit = stepPaid + 1
		}
		for step := is + 1; step < limit; step++ {
			if from := first[step]; from != nil && c.from >= from.at && (c.row == nil || best[c.at] < step) {
				return from, c
			}
		}
		for step := is; step > stepOpen; step-- {
			if first[step] == nil {
				first[step] = c
			}
		}
	}
	return nil, nil
}
