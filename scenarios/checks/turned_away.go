package checks

import (
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/history"
)

// leftTurnedAway are the payments that a client was told to try again, under a key that the service then takes from nobody:
// nothing was done under it, no fault stood in the way any more, and the last try was refused all the same.
func (v *view) leftTurnedAway() []Finding {
	var out []Finding
	if v.target.NoLedger || v.target.OnlyPaid {
		return nil // that nothing was done cannot be told
	}
	for _, s := range v.stories {
		if len(s.rows) > 0 || len(s.seen) > 0 || len(s.bank) > 0 || v.closed(s.order) || !v.sees(needRest|needAnswers) {
			continue
		}
		tries := map[string][]*history.Attempt{}
		for _, a := range s.answers {
			if a.Op == history.OpPay && a.Key != "" {
				tries[a.Key] = append(tries[a.Key], a)
			}
		}
		for _, a := range s.answers {
			first, last, ok := v.turnedAway(tries[a.Key])
			delete(tries, a.Key)
			if !ok {
				continue
			}
			var p proofs
			p.answers(first, last)
			p.add(v.restAt, "the service has no row for order %s, and the bank has never heard of it", s.order)
			out = append(out, Finding{s.order, fmt.Sprintf("order %s: a client was told to try again under key %s (%d), did so when the trouble was over, and was refused (%d): nobody can pay with it",
				s.order, a.Key, first.HTTP, last.HTTP), p.lines()})
		}
	}
	return out
}

// turnedAway finds the refusal that asked for another try, and the try that was refused for good. Whatever broke between the
// two may lawfully have taken the key with it.
func (v *view) turnedAway(tries []*history.Attempt) (first, last *history.Attempt, ok bool) {
	if len(tries) < 2 || slices.ContainsFunc(tries, func(a *history.Attempt) bool { return a.Outcome != history.Refused || worded(a) != worded(tries[0]) }) {
		return nil, nil, false
	}
	first, last = tries[0], tries[len(tries)-1]
	return first, last, slices.Contains(v.target.Retries, first.HTTP) && first.Done < last.Sent && v.undisturbed(first.Done, last.Sent)
}

// undisturbed reports whether nothing was broken between two instants, and all that was broken before was mended by the second.
func (v *view) undisturbed(from, to time.Duration) bool {
	armed := 0
	for _, f := range v.history.Faults() {
		switch {
		case f.Time > to:
		case f.V.State == history.Armed && f.Time >= from:
			return false
		case f.V.State == history.Armed:
			armed++
		case f.V.State == history.Healed:
			armed--
		}
	}
	return armed <= 0 && !slices.ContainsFunc(v.history.Processes(), func(p history.At[history.Process]) bool { return p.Time >= from && p.Time <= to })
}

// closed reports whether anybody asked that an order be closed: it may be refused from then on.
func (v *view) closed(order string) bool {
	return slices.ContainsFunc(v.history.Attempts(), func(a history.At[history.Attempt]) bool { return a.V.Op == history.OpClose && a.V.Order == order })
}
