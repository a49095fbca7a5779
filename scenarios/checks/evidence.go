package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// maxEvidence bounds the lines of one finding: a reader needs the contradiction, not every poll.
const maxEvidence = 24

// proof is one observation that speaks for a finding.
type proof struct {
	at   time.Duration
	text string
}

// proofs gather the observations of one finding, in any order.
type proofs []proof

func (p *proofs) add(at time.Duration, format string, args ...any) {
	*p = append(*p, proof{at, fmt.Sprintf(format, args...)})
}

func (p *proofs) ledger(lines ...line) {
	for _, l := range lines {
		p.add(l.Time, "%s", told(l.V))
	}
}

func (p *proofs) rows(at time.Duration, rows ...*history.Row) {
	for _, r := range rows {
		p.add(at, "%s", toldRow(r))
	}
}

func (p *proofs) answers(answers ...*history.Attempt) {
	for _, a := range answers {
		p.add(a.Done, "%s", toldAnswer(a))
	}
}

func (p *proofs) givings(at time.Duration, rows ...*history.RefundRow) {
	for _, r := range rows {
		p.add(at, "%s", toldGiving(r))
	}
}

// lines are the observations in time order, each once, with their times in seconds since the experiment began.
func (p proofs) lines() []string {
	sorted := slices.Clone(p)
	slices.SortFunc(sorted, func(a, b proof) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.text, b.text))
	})
	sorted = slices.Compact(sorted)
	var out []string
	for i, one := range sorted {
		if i == maxEvidence && len(sorted) > maxEvidence {
			return append(out, fmt.Sprintf("… and %d more observations", len(sorted)-maxEvidence))
		}
		out = append(out, seconds(one.at)+"  "+one.text)
	}
	return out
}

func seconds(at time.Duration) string { return fmt.Sprintf("%.3f s", at.Seconds()) }

// told is a line of the bank's ledger as a sentence.
func told(e *history.LedgerEntry) string {
	sum, number := money.Text(e.Amount, e.Currency), numbered(e.TradeNo)
	switch e.Kind {
	case history.LedgerDebit:
		return "the bank took " + sum + number
	case history.LedgerReversal:
		return "the bank reversed a debit of " + sum + number
	case history.LedgerRefund:
		if e.RefundNo != "" {
			number += ", refund number " + e.RefundNo
		}
		return "the bank gave back " + sum + number
	case history.LedgerDecline:
		return "the bank declined a " + cmp.Or(e.Op, opDebit) + " of " + sum + number
	case history.LedgerAccept:
		return "the bank took on a debit of " + sum + number + " without deciding it yet"
	case history.LedgerClose:
		return "the bank closed the number, nothing was debited" + number
	case history.LedgerCallback:
		return "the bank notified " + e.Status + number
	case history.LedgerAnswer:
		return "the bank answered " + e.Status + number
	}
	return "the bank received a " + e.Op + " request" + number
}

func numbered(tradeNo string) string {
	if tradeNo == "" {
		return ""
	}
	return " under trade number " + tradeNo
}

// toldRow is a row of the service as a sentence.
func toldRow(r *history.Row) string {
	name := "the service's row"
	if r.ID != "" {
		name += " " + r.ID
	}
	state := r.State
	if r.Raw != "" && r.Raw != r.State {
		state += " (" + r.Raw + ")"
	}
	return fmt.Sprintf("%s is %s: %s%s", name, state, money.Text(r.Amount, r.Currency), numbered(r.TradeNo))
}

// toldGiving is a refund of the service's books as a sentence.
func toldGiving(r *history.RefundRow) string {
	name := "refund " + r.RefundID
	if r.Kind == history.RefundOfSurplus {
		name = "refund of a surplus"
	}
	text := fmt.Sprintf("the service's %s is %s: %s", name, r.State, money.Text(r.Amount, r.Currency))
	if r.RefundNo != "" {
		text += " under refund number " + r.RefundNo
	}
	return text
}

// toldAnswer is an answer to a client as a sentence.
func toldAnswer(a *history.Attempt) string {
	text := fmt.Sprintf("a client's %s", a.Op)
	if a.RefundID != "" {
		text += " " + a.RefundID
	}
	if a.Key != "" {
		text += " with key " + a.Key
	}
	text += fmt.Sprintf(" of %s was answered %s", money.Text(a.Amount, a.Currency), a.Outcome)
	if a.Op == history.OpQuery {
		text = fmt.Sprintf("a client's query was answered %s", a.Outcome)
	}
	if a.State != "" {
		text += ", state " + a.State
	}
	if a.PaymentID != "" {
		text += ", payment " + a.PaymentID
	}
	return text
}
