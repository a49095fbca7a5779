package checks

import (
	"maps"
	"slices"
	"time"

	"onedebit/scenarios/history"
)

// namesakes are the trade numbers of another merchant's order of the same number: order numbers belong to a merchant, and
// where somebody else has asked to be paid for one, the bank's ledger tells whose debit it is.
func (s *story) namesakes(others map[history.Owner]bool) map[string]bool {
	out := map[string]bool{}
	for _, l := range s.bank {
		if l.V.Op == opDebit && others[history.Owner{Order: s.order, Merchant: l.V.Merchant}] {
			out[l.V.TradeNo] = true
		}
	}
	return out
}

// leaveNamesake takes what belongs to another merchant's order of the same number out of the story.
func (s *story) leaveNamesake(others map[history.Owner]bool) {
	s.namesake = s.namesakes(others)
	if len(s.namesake) == 0 {
		return
	}
	s.bank = slices.DeleteFunc(s.bank, func(l line) bool { return s.namesake[l.V.TradeNo] })
	maps.DeleteFunc(s.trades, func(number string, _ time.Duration) bool { return s.namesake[number] })
	rows := map[string]bool{} // also as they were before they had their number
	for _, x := range s.seen {
		rows[x.row.ID] = rows[x.row.ID] || s.namesake[x.row.TradeNo]
	}
	s.seen = slices.DeleteFunc(s.seen, func(x sighting) bool { return rows[x.row.ID] })
}

// shared reports whether another merchant has an order of the same number, and benefits or events cannot be told apart,
// since the books do not say whose they are.
func (s *story) shared() bool { return len(s.namesake) > 0 && s.unnamed }

// of is the payment that an entry in the books is about: none of ours, where the books say that it is another merchant's and
// he has asked to be paid for an order of this number. Whatever else is under the number is ours to judge, whoever is said
// to have it.
func (v *view) of(order, merchant string) *story {
	if s := v.known[order]; s != nil && !v.others[history.Owner{Order: order, Merchant: merchant}] {
		return s
	}
	return nil
}
