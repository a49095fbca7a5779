package checks

import (
	"fmt"
	"slices"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// phantom says by how much what is gone from the account that all pay from is not the sum of what is paid. A payment that is
// still open may have been taken or not, and where money was given back the balance does not say for which payment.
func (v *view) phantom() []Finding {
	first := v.firstReading()
	if !v.target.Balance || first == nil || v.rest == nil || slices.ContainsFunc(v.stories, (*story).refunding) {
		return nil
	}
	gone, paid, open := v.rest.Balance-first.Balance, int64(0), int64(0)
	currency := ""
	for _, r := range v.rest.Rows {
		switch {
		case slices.ContainsFunc(first.Rows, func(old history.Row) bool { return old.ID == r.ID }): // paid before
		case wasPaid(r.State):
			paid, currency = paid+r.Amount, r.Currency
		case !ended(r.State):
			open, currency = open+r.Amount, r.Currency
		}
	}
	if gone >= paid && gone <= paid+open {
		return nil
	}
	var p proofs
	p.add(v.restAt, "gone from the account: %s", money.Text(gone, currency))
	p.add(v.restAt, "paid by the service's rows: %s", money.Text(paid, currency))
	return []Finding{{"", fmt.Sprintf("phantom money: %s; %s is gone from the account, and what is paid comes to %s",
		money.Text(max(gone-paid, paid-gone), currency), money.Text(gone, currency), money.Text(paid, currency)), p.lines()}}
}

// firstReading is how the service stood before the first payment.
func (v *view) firstReading() *history.Reading {
	for _, r := range v.history.Readings() {
		return r.V
	}
	return nil
}
