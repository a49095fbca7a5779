package targets

import (
	"slices"

	"onedebit/scenarios/history"
)

// Shows says whether it can be seen that a payment is in a state.
func (t *Target) Shows(state string) bool {
	if t.Rows.All != "" {
		return true
	}
	ask := map[string]*Ask{history.StateSuccess: t.Rows.Success, history.StateFailed: t.Rows.Declined, history.StatePending: t.Rows.Pending}[state]
	return ask != nil
}

// Notified says whether a bank of the service notifies it.
func (t *Target) Notified() bool {
	for _, b := range t.Banks {
		if b.Dialect.Notifies() {
			return true
		}
	}
	return false
}

// SaysCurrency says whether the submit carries the currency.
func (t *Target) SaysCurrency() bool { return slices.Contains(t.Payment.Submit().names(), "currency") }

// Proves says whether there is something to see for a check that is about more than payments and their money.
func (t *Target) Proves(check string) bool {
	money := len(t.Banks) > 0 || t.Rows.Debits != nil || check == "ledger-agrees" && t.Rows.Balance != nil
	switch check {
	case "effects-once":
		return t.Rows.Effects != "" && len(t.Promise.Effects) > 0
	case "events-match":
		return t.Rows.Events != ""
	case "refunds-bounded":
		return t.Refund.Submit != nil
	case "only-authentic-callbacks":
		return t.Promise.Callbacks
	case "key-conflict-refused", "same-answer":
		return t.Promise.RefusesOtherBody
	case "trade-no-unique":
		return t.Rows.All != "" || t.Rows.Trades != ""
	case "debits-accounted", "integer-money", "ledger-agrees", "one-debit", "unknown-is-not-failed":
		return money
	}
	return true
}
