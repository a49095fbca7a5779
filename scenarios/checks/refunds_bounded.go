package checks

import (
	"cmp"
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// RefundsBounded is I7. A surplus debit that the service gives back by itself is a refund like any other at the bank.
var RefundsBounded = register(Check{
	Name:      "refunds-bounded",
	Invariant: "I7",
	Doc: "The refunds of a payment never add up to more than the bank took for it, each refund id is given back once, and " +
		"service and bank agree on what was given back.",
	Cause: "The sum is read and compared without a lock, each part is compared with the whole amount, or a refund whose " +
		"answer was lost is sent again under a new number.",
	judge: judgeRefundsBounded,
})

func judgeRefundsBounded(v *view) Result {
	needs := needLedger
	if v.target.Refunds {
		needs |= needRest
	}
	var findings []Finding
	asked, heard := false, false
	for _, s := range v.stories {
		f := v.returnsOf(s)
		asked = asked || s.refunding() || len(f.bank) > 0 || len(s.givings) > 0
		heard = heard || len(f.bank) > 0 || len(s.givings) > 0 ||
			slices.ContainsFunc(s.returns, func(a *history.Attempt) bool { return a.Outcome != history.Unknown })
		if v.atRest() {
			f.judge()
			findings = append(findings, f.findings...)
		}
	}
	switch res := v.judged(findings, needs); {
	case res.Status != Pass:
		return res
	case !asked:
		return notApplicable("no refund was asked for")
	case !heard:
		return inconclusive("no refund that was asked for got an answer or reached the bank")
	default:
		return res
	}
}

// returnsOf gathers what bank and service say of the refunds of one payment.
func (v *view) returnsOf(s *story) *returnsJudge {
	f := &returnsJudge{view: v, story: s}
	for _, l := range s.bank {
		if l.V.Kind == history.LedgerRefund {
			f.bank = append(f.bank, l)
		}
	}
	return f
}

// returnsJudge compares the refunds at the bank with those in the service's books and in the answers to the clients.
type returnsJudge struct {
	*view
	*story
	bank     []line // refunds given
	findings []Finding
}

func (f *returnsJudge) find(format string, args ...any) {
	var p proofs
	p.ledger(moved(f.story.bank)...)
	p.givings(max(f.restAt, 0), f.givings...)
	if len(p) == 0 {
		p.add(max(f.restAt, f.observed, 0), "bank and service show no refund of order %s", f.order)
	}
	f.findings = append(f.findings, Finding{f.order, "order " + f.order + ": " + fmt.Sprintf(format, args...), p.lines()})
}

func (f *returnsJudge) judge() {
	f.judgeSum()
	if f.target.Refunds && f.rest != nil {
		f.judgeBooks()
	} else {
		f.judgeCount()
	}
	f.judgeAnswers()
}

// judgeSum compares what was given back with what was taken, number by number.
func (f *returnsJudge) judgeSum() {
	taken, back := map[string]int64{}, map[string]int64{}
	var numbers []string
	for _, l := range f.story.bank {
		switch l.V.Kind {
		case history.LedgerDebit:
			taken[l.V.TradeNo] += l.V.Amount
		case history.LedgerRefund:
			if back[l.V.TradeNo] == 0 {
				numbers = append(numbers, l.V.TradeNo)
			}
			back[l.V.TradeNo] += l.V.Amount
		}
	}
	for _, number := range numbers {
		if back[number] > taken[number] {
			currency := f.bank[0].V.Currency
			f.find("the bank gave back %s of %s that it took%s", money.Text(back[number], currency), money.Text(taken[number], currency), numbered(number))
		}
	}
}

// judgeBooks matches each refund at the bank with one in the service's books: by number, or by amount where the books
// name no number.
func (f *returnsJudge) judgeBooks() {
	rows := slices.Clone(f.givings)
	givenFor := map[string]line{}
	for _, l := range f.bank {
		i := slices.IndexFunc(rows, func(r *history.RefundRow) bool { return r.RefundNo != "" && r.RefundNo == l.V.RefundNo })
		if i < 0 {
			i = slices.IndexFunc(rows, func(r *history.RefundRow) bool {
				return (r.RefundNo == "" || l.V.RefundNo == "") && r.Amount == l.V.Amount && !ended(r.State)
			})
		}
		if i < 0 {
			f.judgeUnknown(l)
			continue
		}
		r := rows[i]
		rows = slices.Delete(rows, i, i+1)
		f.judgePair(l, r)
		if first, twice := givenFor[r.RefundID]; twice && r.RefundID != "" {
			f.find("refund %s was given back twice, under refund numbers %s and %s", r.RefundID, first.V.RefundNo, l.V.RefundNo)
		}
		givenFor[r.RefundID] = l
	}
	for _, r := range rows {
		if r.State == history.StateSuccess && f.sees(needLedger) {
			f.find("refund %s of %s is SUCCESS at the service, and the bank never gave it back", refundName(r), money.Text(r.Amount, r.Currency))
		}
	}
}

func (f *returnsJudge) judgeUnknown(l line) {
	if f.sees(needRest) && !slices.ContainsFunc(f.surplus, func(r *history.SurplusRow) bool {
		return r.RefundNo != "" && r.RefundNo == l.V.RefundNo
	}) {
		f.find("the bank gave back %s under refund number %s, of which the service knows nothing", money.Text(l.V.Amount, l.V.Currency), l.V.RefundNo)
	}
}

func (f *returnsJudge) judgePair(l line, r *history.RefundRow) {
	switch {
	case ended(r.State):
		f.find("refund %s is %s at the service, and the bank gave %s back for it", refundName(r), r.State, money.Text(l.V.Amount, l.V.Currency))
	case l.V.Amount != r.Amount || l.V.Currency != r.Currency:
		f.find("refund %s is %s at the service, and the bank gave back %s for it", refundName(r), money.Text(r.Amount, r.Currency),
			money.Text(l.V.Amount, l.V.Currency))
	}
}

func refundName(r *history.RefundRow) string { return cmp.Or(r.RefundID, r.RefundNo, r.ID) }

// judgeCount is for books in which no refund can be read: a refund at the bank needs a request of a client, or a surplus.
func (f *returnsJudge) judgeCount() {
	ids := map[string]bool{}
	for _, r := range f.refunds {
		ids[r.RefundID] = true
	}
	for _, a := range f.returns {
		ids[a.RefundID] = true
	}
	surplus := max(0, len(debits(f.story.bank))-1)
	if len(ids) > 0 && len(f.bank) > len(ids)+surplus && f.sees(needAnswers) {
		f.find("the bank gave money back %d times for %s", len(f.bank), counted(len(ids), "refund id"))
	}
}

// judgeAnswers compares what clients were told with what was given.
func (f *returnsJudge) judgeAnswers() {
	told := map[string]bool{}
	for _, a := range f.returns {
		if a.Outcome != history.Confirmed || told[a.RefundID] {
			continue
		}
		told[a.RefundID] = true
		if f.target.Refunds && f.sees(needRest|needLedger) && !slices.ContainsFunc(f.givings, func(r *history.RefundRow) bool {
			return r.RefundID == a.RefundID && r.State == history.StateSuccess
		}) {
			f.find("a client was told that refund %s is done, and the service has no refund of that id that is SUCCESS", a.RefundID)
		}
	}
	if !f.target.Refunds && len(told) > len(f.bank) && f.sees(needLedger) {
		f.find("clients were told that %s done, and the bank gave money back %d times", counted(len(told), "refund")+" are", len(f.bank))
	}
}
