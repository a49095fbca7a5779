package checks

import (
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// LedgerAgrees is I3. It tells the kinds of disagreement apart; two debits for one payment are the business of OneDebit,
// and money held for a row that is not final yet is the business of Settles.
var LedgerAgrees = register(Check{
	Name:      "ledger-agrees",
	Invariant: "I3",
	Doc: "At rest a payment is SUCCESS at the service if and only if the bank holds its money: the same amount, " +
		"currency and trade number.",
	Cause: "An unclear answer of the bank is stored as a failure, or a success is stored that the bank did not say, " +
		"or the bank's word is not compared with what was asked.",
	judge: judgeLedgerAgrees,
})

func judgeLedgerAgrees(v *view) Result {
	const needs = needLedger | needRest
	if !v.target.Rows {
		return notApplicable(noRows)
	}
	var findings []Finding
	if v.atRest() {
		findings = strayDebits(v.strays)
	}
	if v.rest != nil {
		for _, s := range v.stories {
			if message := v.disagreement(s); message != "" {
				var p proofs
				p.ledger(moved(s.bank)...)
				p.rows(v.restAt, s.rows...)
				if len(s.rows) == 0 {
					p.add(v.restAt, "the service has no row for order %s", s.order)
				}
				findings = append(findings, Finding{s.order, message, p.lines()})
			}
		}
	}
	findings = append(findings, v.phantom()...)
	if v.target.Balance && v.target.NoLedger { // the balance is all that tells of money
		return v.judged(findings, needRest|needReadings)
	}
	return v.judged(findings, needs)
}

// strayDebits are debits that nobody asked for in this experiment.
func strayDebits(strays []line) []Finding {
	var out []Finding
	for _, d := range standing(debits(strays)) {
		var p proofs
		p.ledger(d.line)
		out = append(out, Finding{d.V.Order, fmt.Sprintf("the bank holds a debit that belongs to no payment of this experiment: %s%s, account %q",
			money.Text(d.left, d.V.Currency), numbered(d.V.TradeNo), d.V.Account), p.lines()})
	}
	return out
}

// disagreement says in words how bank and service differ about a payment. What rests on something being absent is
// said only where it was looked for.
func (v *view) disagreement(s *story) string {
	all := debits(s.bank)
	held, paid := standing(all), s.paidRows()
	switch {
	case len(held) == 0 && len(paid) > 0 && len(all) > 0:
		if slices.ContainsFunc(paid, func(r *history.Row) bool { return v.due(s, r).holds(0) }) {
			return ""
		}
		return fmt.Sprintf("order %s is %s at the service, but the bank gave its money back: it took %s and holds nothing now",
			s.order, words(paid), taken(all))
	case len(held) == 0 && len(paid) > 0 && v.sees(needLedger):
		return fmt.Sprintf("order %s is %s at the service, but the bank never took any money for it", s.order, words(paid))
	case len(held) > 0 && len(paid) == 0 && len(s.open()) == 0:
		return v.lost(s, held)
	case len(held) > 0 && len(paid) > 0:
		return v.differs(s, held, paid)
	}
	return ""
}

func (v *view) lost(s *story, held []*debit) string {
	row := "its row is " + words(s.rows)
	if len(s.rows) == 0 {
		if row = "it has no row at all"; !v.sees(needRest) {
			return ""
		}
	}
	return fmt.Sprintf("the bank holds %s for order %s and the service has no SUCCESS row: %s, and nobody will ever finish it",
		sums(held), s.order, row)
}

func taken(all []*debit) string {
	var each []string
	for _, d := range all {
		each = append(each, money.Text(d.V.Amount, d.V.Currency))
	}
	return listed(each)
}

// differs says what a debit and the SUCCESS row nearest to it do not agree on. One pair that agrees is enough: a second
// debit and a second row have checks of their own.
func (v *view) differs(s *story, held []*debit, paid []*history.Row) string {
	best, fewest := "", 4
	for _, r := range paid {
		for _, d := range held {
			if message, n := v.differences(s, d, r); n < fewest {
				best, fewest = message, n
			}
		}
	}
	return best
}

func (v *view) differences(s *story, d *debit, r *history.Row) (message string, n int) {
	say := func(format string, args ...any) {
		if n++; n == 1 {
			message = fmt.Sprintf("order %s: "+format, append([]any{s.order}, args...)...)
		} else {
			message += "; " + fmt.Sprintf(format, args...)
		}
	}
	if d.V.Currency != r.Currency {
		say("wrong currency: the bank holds %s, the service's SUCCESS row says %s", money.Text(d.left, d.V.Currency), money.Text(r.Amount, r.Currency))
	} else if due := v.due(s, r); !due.holds(d.left) && due.most != r.Amount {
		say("wrong amount: the bank holds %s of a payment of %s that is %s at the service, which leaves %s", money.Text(d.left, d.V.Currency),
			money.Text(r.Amount, r.Currency), r.State, money.Text(due.most, r.Currency))
	} else if !due.holds(d.left) {
		say("wrong amount: the bank holds %s, the service's SUCCESS row says %s", money.Text(d.left, d.V.Currency), money.Text(r.Amount, r.Currency))
	} else if !s.askedFor(r.Amount, r.Currency) {
		say("wrong amount: bank and service agree on %s, but what was asked for is %s", money.Text(r.Amount, r.Currency),
			money.Text(s.asked[0].Amount, s.asked[0].Currency))
	}
	switch {
	case d.V.TradeNo == "" || r.TradeNo == d.V.TradeNo || r.TradeNo != "" && r.TradeNo == d.V.BankID:
	case r.TradeNo != "":
		say("wrong trade number: the bank holds the money under %s, the service's SUCCESS row names %s", d.V.TradeNo, r.TradeNo)
	case len(s.recorded) > 0 && !slices.Contains(s.recorded, d.V.TradeNo) && !slices.Contains(s.recorded, d.V.BankID):
		say("wrong trade number: the bank holds the money under %s, the service has recorded %s", d.V.TradeNo, listed(s.recorded))
	}
	return message, n
}

// dues are bounds of what the bank should still hold.
type dues struct{ least, most int64 }

func (d dues) holds(left int64) bool { return left >= d.least && left <= d.most }

// due is what the bank should still hold of a paid row: its amount less the refunds that the service's books call SUCCESS,
// and, at the least, less those that are still under way. Where refunds cannot be read, the row's state has to do.
func (v *view) due(s *story, r *history.Row) dues {
	switch {
	case r.State == history.StateRefunded:
		return dues{}
	case v.target.Refunds:
		done, open := s.returned()
		return dues{r.Amount - done - open, r.Amount - done}
	case r.State == history.StatePartlyRefunded:
		return dues{1, r.Amount - 1}
	case s.refunding():
		return dues{0, r.Amount}
	}
	return dues{r.Amount, r.Amount}
}

// returned sums up the refunds that clients asked for, by the service's books: those done, and those under way.
func (s *story) returned() (done, open int64) {
	for _, r := range s.givings {
		switch {
		case r.Kind == history.RefundOfSurplus:
		case r.State == history.StateSuccess:
			done += r.Amount
		case !ended(r.State):
			open += r.Amount
		}
	}
	return done, open
}

// askedFor reports whether any client ever asked for this sum under this order.
func (s *story) askedFor(amount int64, currency string) bool {
	for _, p := range s.asked {
		if p.Amount == amount && p.Currency == currency {
			return true
		}
	}
	return slices.ContainsFunc(s.answers, func(a *history.Attempt) bool {
		return a.Op == history.OpPay && a.Amount == amount && a.Currency == currency
	})
}
