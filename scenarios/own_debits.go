package scenarios

import (
	"slices"

	"onedebit/scenarios/history"
)

// ownDebits puts the debits of a service without a bank into the history as a ledger tells them: those that a reading shows
// first, and those that it does not show any more.
func (x *experiment) ownDebits(before, now *history.Reading) {
	tell := func(kind string, d history.OwnDebit) {
		x.recorder.Add(history.Event{Ledger: &history.LedgerEntry{
			Kind: kind, Op: "debit", Order: d.Order, BankID: d.ID, Amount: d.Amount, Currency: d.Currency, Detail: "in the service's own records",
		}})
	}
	for _, d := range now.Debits {
		if !slices.Contains(before.Debits, d) {
			tell(history.LedgerDebit, d)
		}
	}
	for _, d := range before.Debits {
		if !slices.Contains(now.Debits, d) {
			tell(history.LedgerReversal, d)
		}
	}
}

// unfinished counts the payments of which the service said that they were taken on, or for which the bank took money, and of
// which no row tells yet what became of them. It is for services that are asked after each payment: of all that a service
// does in the dark, this is what can be waited for.
func (x *experiment) unfinished(r history.Reading) (n int) {
	if x.target.Rows.Success == nil {
		return 0
	}
	ended := map[string]bool{}
	for _, row := range r.Rows {
		ended[row.Order] = ended[row.Order] || row.State == history.StateSuccess || row.State == history.StateFailed
	}
	open := map[string]bool{}
	h := x.recorder.History()
	for _, a := range h.Attempts() {
		if a.V.Op == history.OpPay && (a.V.Outcome == history.Pending || a.V.Outcome == history.Confirmed) {
			open[a.V.Order] = true
		}
	}
	for _, l := range h.Ledger() {
		switch l.V.Kind {
		case history.LedgerDebit:
			open[l.V.Order] = true
		case history.LedgerReversal, history.LedgerDecline:
			delete(open, l.V.Order)
		}
	}
	for order := range open {
		if order != "" && !ended[order] {
			n++
		}
	}
	return n
}
