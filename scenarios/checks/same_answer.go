package checks

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/history"
)

// SameAnswer is I8. A decline and a later success under a new key are two attempts and no contradiction; nor is a
// decline that was the bank's own word for the very debit that the bank made good later.
var SameAnswer = register(Check{
	Name:      "same-answer",
	Invariant: "I8",
	Doc: "All answers to one key with one body name the same payment and the same final result, which is also the " +
		"one that stands at rest.",
	Cause: "A repeated request is carried out again, or is answered with an error of its own (a unique key, a lock, a " +
		"refusal of the bank) instead of the first result.",
	judge: judgeSameAnswer,
})

func judgeSameAnswer(v *view) Result {
	n := needAnswers
	if v.target.Rows {
		n |= needRest
	}
	var findings []Finding
	for _, s := range v.stories {
		if message, p := s.contradiction(); message != "" {
			p.ledger(moved(s.bank)...)
			p.rows(v.restAt, s.rows...)
			findings = append(findings, Finding{s.order, message, p.lines()})
		}
		if message, p := s.refundContradiction(); message != "" {
			p.ledger(moved(s.bank)...)
			findings = append(findings, Finding{s.order, message, p.lines()})
		}
	}
	return v.judged(findings, n)
}

// contradiction finds the first pair of answers, or answer and row, that cannot both be right.
func (s *story) contradiction() (string, proofs) {
	keys := s.wordings()
	byKey := make(map[wording][]*history.Attempt, len(keys))
	for _, a := range s.answers {
		if said(a) == "" && (a.PaymentID == "" || a.Outcome != history.Pending) {
			continue
		}
		switch {
		case a.Op == history.OpPay:
			byKey[worded(a)] = append(byKey[worded(a)], a)
		case len(keys) == 1: // a query names no key; it is about the only one
			byKey[keys[0]] = append(byKey[keys[0]], a)
		}
	}
	for _, key := range keys {
		if message, p := s.contradictionOf(key, byKey[key], len(keys) == 1); message != "" {
			return message, p
		}
	}
	return s.successThenFailed()
}

func (s *story) contradictionOf(key wording, answers []*history.Attempt, only bool) (string, proofs) {
	var yes, no []*history.Attempt
	var ids []string
	var p proofs
	for _, a := range answers {
		switch state := said(a); {
		case wasPaid(state):
			yes = append(yes, a)
		case state == history.StateFailed:
			if !s.madeGood(a) {
				no = append(no, a)
			}
		}
		if a.Op == history.OpPay && a.PaymentID != "" && !slices.Contains(ids, a.PaymentID) && key.key != "" {
			ids = append(ids, a.PaymentID)
			p.answers(a)
		}
	}
	name := "its requests"
	if key.key != "" {
		name = "key " + key.key
	}
	switch {
	case len(yes) > 0 && len(no) > 0:
		p.answers(yes[0], no[0])
		return fmt.Sprintf("order %s: %s got two contradictory final answers, SUCCESS and FAILED", s.order, name), p
	case len(ids) > 1:
		slices.Sort(ids)
		return fmt.Sprintf("order %s: the answers to %s name different payments, %s", s.order, name, listed(ids)), p
	case only && len(no) > 0 && len(s.paidRows()) > 0:
		p.answers(no[0])
		return fmt.Sprintf("order %s: a client was told FAILED under %s, and the payment ended SUCCESS", s.order, strings.Replace(name, "its requests", "its only request", 1)), p
	}
	return "", nil
}

// madeGood reports whether a FAILED answer repeated the bank's own word about a debit which the bank made good later.
func (s *story) madeGood(a *history.Attempt) bool {
	refused := map[string]bool{}
	for _, l := range s.bank {
		switch {
		case bankSaidNo(l.V) && l.Time <= a.Done:
			refused[l.V.TradeNo] = true
		case l.V.Kind == history.LedgerDebit && refused[l.V.TradeNo]:
			return true
		}
	}
	return false
}

// successThenFailed compares what clients were told with the books at rest.
func (s *story) successThenFailed() (string, proofs) {
	if len(s.paidRows()) > 0 || len(s.endedRows()) == 0 || len(s.open()) > 0 {
		return "", nil
	}
	for _, a := range s.answers {
		if wasPaid(said(a)) {
			var p proofs
			p.answers(a)
			return fmt.Sprintf("order %s: a client was told SUCCESS, and the payment is %s at rest", s.order, words(s.endedRows())), p
		}
	}
	return "", nil
}

// refundContradiction finds two final answers about one refund that cannot both be right. One that the bank refused and made
// good later is none.
func (s *story) refundContradiction() (string, proofs) {
	yes, no := map[string]*history.Attempt{}, map[string]*history.Attempt{}
	for _, a := range s.returns {
		same := map[string]*history.Attempt{}
		switch said(a) {
		case history.StateSuccess:
			same = yes
		case history.StateFailed:
			same = no
		}
		if same[a.RefundID] == nil {
			same[a.RefundID] = a
		}
		y, n := yes[a.RefundID], no[a.RefundID]
		if y == nil || n == nil || a.RefundID == "" || y.Amount != n.Amount && y.Op == n.Op {
			continue
		}
		if !slices.ContainsFunc(s.bank, func(l line) bool { return l.V.Kind == history.LedgerDecline && l.V.Op == opRefund && l.Time <= n.Done }) {
			var p proofs
			p.answers(y, n)
			return fmt.Sprintf("order %s: refund %s got two contradictory final answers, SUCCESS and FAILED", s.order, a.RefundID), p
		}
	}
	return "", nil
}
