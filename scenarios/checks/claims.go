package checks

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"onedebit/scenarios/history"
)

// claim is one statement of the service about the state of a payment: a row as it was read, or an answer to a client.
// It was made at some instant between from and at.
type claim struct {
	from, at time.Duration
	state    string
	row      *history.Row     // set for a row
	answer   *history.Attempt // set for an answer
}

func (c claim) prove(p *proofs) {
	if c.row != nil {
		p.rows(c.at, c.row)
		return
	}
	p.answers(c.answer)
}

// number is the trade number that a row names.
func (c claim) number() string {
	if c.row == nil {
		return ""
	}
	return c.row.TradeNo
}

// said is the state that an answer names for its payment, or nothing where it names none: a refusal is about the
// request, and an unknown outcome is about nothing.
func said(a *history.Attempt) string {
	if a.Outcome == history.Unknown || a.Outcome == history.Refused {
		return ""
	}
	if a.State != "" {
		return a.State
	}
	switch a.Outcome {
	case history.Confirmed:
		return history.StateSuccess
	case history.Declined:
		return history.StateFailed
	}
	return ""
}

func (s *story) rowClaims() []claim {
	out := make([]claim, 0, len(s.seen))
	for _, x := range s.seen {
		out = append(out, claim{from: x.from, at: x.at, state: x.row.State, row: x.row})
	}
	return out
}

func (s *story) answerClaims() []claim {
	var out []claim
	for _, a := range s.answers {
		if state := said(a); state != "" {
			out = append(out, claim{from: a.Sent, at: a.Done, state: state, answer: a})
		}
	}
	return out
}

// wording is the body of a pay request as the service sees it: what makes two requests the same.
type wording struct {
	key, order, channel, currency string
	amount                        int64
}

func worded(a *history.Attempt) wording {
	return wording{a.Key, a.Order, a.Channel, a.Currency, a.Amount}
}

// wordings are the different pay requests of a payment that the service may have carried out.
func (s *story) wordings() []wording {
	var out []wording
	seen := map[wording]bool{}
	for _, a := range s.answers {
		if w := worded(a); a.Op == history.OpPay && a.Outcome != history.Refused && !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// inTime orders claims; those of equal time by content, so that the order of arrival decides nothing.
func inTime(claims []claim) {
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from), cmp.Compare(a.state, b.state),
			cmp.Compare(a.number(), b.number()))
	})
}

// bankSaidNo reports whether a ledger line is the bank's own word to the service that a debit will not be. An answer
// counts only where it was given; a notification counts unless the service turned it away or it was forged.
func bankSaidNo(e *history.LedgerEntry) bool {
	no := e.Status == history.StateFailed || e.Status == "FAIL" || e.Status == "CLOSED"
	switch {
	case e.Op == opRefund:
		return false
	case e.Kind == history.LedgerDecline, e.Kind == history.LedgerClose, e.Kind == history.LedgerReversal:
		return true
	case e.Kind == history.LedgerAnswer:
		return no && e.HTTP >= 200 && e.HTTP < 300
	case e.Kind == history.LedgerCallback:
		return no && e.HTTP < 300 && !forged(e)
	}
	return false
}

// forged reports whether a notification was not signed by the bank, which its ledger line names ("signature bad").
func forged(e *history.LedgerEntry) bool { return strings.Contains(e.Detail, "signature ") }
