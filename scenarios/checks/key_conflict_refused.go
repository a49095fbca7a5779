package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// KeyConflictRefused is I9. The body that a key belongs to is the first that the service answered as a payment: one that
// got lost or was refused may never have bound the key.
var KeyConflictRefused = register(Check{
	Name:      "key-conflict-refused",
	Invariant: "I9",
	Doc: "A key or refund id that comes back with another amount, currency, channel or order is refused, nothing is debited " +
		"for it, what one merchant's key stands for is never told to another merchant, and no order is called paid because " +
		"another one was.",
	Cause: "The service keeps the key without the body that it was used with, compares only a part of the body, or keeps " +
		"the keys of all merchants together.",
	judge: judgeKeyConflictRefused,
})

func judgeKeyConflictRefused(v *view) Result {
	const needs = needAnswers | needLedger
	uses := append(v.keyUses(), v.refundUses()...)
	told, shared := v.toldToOthers()
	conflicts := slices.DeleteFunc(uses, func(u *keyUse) bool { return len(u.bodies) < 2 })
	switch {
	case len(conflicts) == 0 && !shared:
		if why := v.missing(0); why != "" || !v.sees(needAnswers) {
			return inconclusive(cmp.Or(why, "not every request of the clients was recorded"))
		}
		return notApplicable("no key was used with two different bodies")
	case !v.target.RefusesOtherBody:
		return notApplicable("this target does not promise to refuse a key that comes back with another body")
	}
	findings, answered := told, shared
	for _, u := range conflicts {
		answered = answered || u.answeredTwice()
		findings = append(findings, v.carriedOut(u)...)
	}
	res := v.judged(findings, needs)
	if res.Status == Pass && !answered {
		return inconclusive("no request that used a key with another body got an answer")
	}
	return res
}

// keyUse is one key of one merchant with all the bodies that it was sent with.
type keyUse struct {
	name   string // as a finding calls it
	key    string
	refund bool // the key is a refund id
	bodies []wording
	tries  map[wording][]*history.Attempt
}

func (v *view) keyUses() []*keyUse {
	type name struct{ merchant, key string }
	known := map[name]*keyUse{}
	var out []*keyUse
	for _, s := range v.stories {
		for _, a := range s.answers {
			if a.Op != history.OpPay || a.Key == "" {
				continue
			}
			n := name{s.asked[0].Merchant, a.Key}
			u := known[n]
			if u == nil {
				u = &keyUse{name: "key " + a.Key, key: a.Key, tries: map[wording][]*history.Attempt{}}
				known[n] = u
				out = append(out, u)
			}
			w := worded(a)
			if u.tries[w] == nil {
				u.bodies = append(u.bodies, w)
			}
			u.tries[w] = append(u.tries[w], a)
		}
	}
	return out
}

// refundUses are the refund ids with all that was asked for under them.
func (v *view) refundUses() []*keyUse {
	known := map[[2]string]*keyUse{}
	var out []*keyUse
	for _, s := range v.stories {
		for _, a := range s.returns {
			if a.Op != history.OpRefund || a.RefundID == "" {
				continue
			}
			n := [2]string{s.asked[0].Merchant, a.RefundID}
			u := known[n]
			if u == nil {
				u = &keyUse{name: "refund id " + a.RefundID, key: a.RefundID, refund: true, tries: map[wording][]*history.Attempt{}}
				known[n] = u
				out = append(out, u)
			}
			w := wording{key: a.RefundID, order: a.Order, currency: a.Currency, amount: a.Amount}
			if u.tries[w] == nil {
				u.bodies = append(u.bodies, w)
			}
			u.tries[w] = append(u.tries[w], a)
		}
	}
	return out
}

// teller is the first answer in which a payment was named.
type teller struct {
	merchant string
	answer   *history.Attempt
	story    *story // in which it was given
}

// toldToOthers finds a payment that requests of two merchants, or of two orders, were answered with. shared says that a key or an order of one
// merchant was used by another at all, and got an answer.
func (v *view) toldToOthers() (out []Finding, shared bool) {
	first := map[string]teller{}
	keys := map[string]string{}
	look := func(s *story, a *history.Attempt, merchant string) {
		if a.Op != history.OpPay || a.Outcome == history.Unknown {
			return
		}
		if owner, known := keys[a.Key]; known && a.Key != "" && owner != merchant {
			shared = true
		} else if !known {
			keys[a.Key] = merchant
		}
		if a.PaymentID == "" {
			return
		}
		t, known := first[a.PaymentID]
		if !known {
			first[a.PaymentID] = teller{merchant, a, s}
			return
		}
		if t.merchant != merchant {
			var p proofs
			p.answers(t.answer, a)
			out = append(out, Finding{s.order, fmt.Sprintf("payment %s of merchant %s was told to merchant %s, who had asked with key %s for order %s",
				a.PaymentID, t.merchant, merchant, cmp.Or(a.Key, "none"), a.Order), p.lines()})
		} else if v.calledPaid(s, a, t) {
			shared = true
			var p proofs
			p.answers(t.answer, a)
			p.ledger(moved(s.bank)...)
			out = append(out, Finding{s.order, fmt.Sprintf("order %s, asked for with key %s, was answered SUCCESS with payment %s, which is that of order %s, and the bank had taken no money for it",
				a.Order, cmp.Or(a.Key, "none"), a.PaymentID, t.answer.Order), p.lines()})
		}
	}
	for _, s := range v.stories {
		for _, a := range s.answers {
			look(s, a, s.asked[0].Merchant)
		}
	}
	for _, s := range v.stories {
		for _, a := range s.foreign {
			shared = shared || a.Outcome != history.Unknown
			look(s, a, a.Merchant)
		}
	}
	return out, shared
}

// calledPaid reports whether an answer says SUCCESS with the payment of another order although the bank had taken nothing
// for its own. One payment for several orders is lawful where their money was taken. Only a ledger that showed the money of
// the other order before its answer is a witness: records that are read afterwards, and a hold that is captured later, tell
// every debit too late.
func (v *view) calledPaid(s *story, a *history.Attempt, first teller) bool {
	return a.Order != first.answer.Order && a.Outcome == history.Confirmed && v.sees(needLedger) &&
		takenBefore(first.story, first.answer) && !takenBefore(s, a)
}

// takenBefore reports whether the bank had taken money for an order when a request about it was answered.
func takenBefore(s *story, a *history.Attempt) bool {
	return slices.ContainsFunc(s.bank, func(l line) bool { return l.V.Kind == history.LedgerDebit && l.Time <= a.Done })
}

// answeredTwice reports whether more than one body of the key got an answer: only then was a conflict seen by anybody.
func (u *keyUse) answeredTwice() bool {
	n := 0
	for _, tries := range u.tries {
		if slices.ContainsFunc(tries, func(a *history.Attempt) bool { return a.Outcome != history.Unknown }) {
			n++
		}
	}
	return n > 1
}

// owner is the body that the key belongs to; ok is false where no body was surely bound to it.
func (u *keyUse) owner() (w wording, ok bool) {
	first := time.Duration(0)
	for _, body := range u.bodies {
		for _, a := range u.tries[body] {
			if a.Outcome != history.Confirmed && a.Outcome != history.Pending && a.Outcome != history.Declined {
				continue
			}
			if !ok || a.Sent < first || a.Sent == first && compareWordings(body, w) < 0 {
				w, first, ok = body, a.Sent, true
			}
		}
	}
	return w, ok
}

func compareWordings(a, b wording) int {
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.amount, b.amount), cmp.Compare(a.currency, b.currency),
		cmp.Compare(a.channel, b.channel))
}

// carriedOut finds the bodies that were not refused although the key belongs to another.
func (v *view) carriedOut(u *keyUse) []Finding {
	owner, bound := u.owner()
	if !bound {
		return nil
	}
	var out []Finding
	slices.SortFunc(u.bodies, compareWordings)
	for _, body := range u.bodies {
		if body == owner {
			continue
		}
		message := ""
		var p proofs
		asked := v.debitsOnlyOf(u, body, owner)
		done := slices.IndexFunc(u.tries[body], func(a *history.Attempt) bool {
			return a.Outcome == history.Confirmed || a.Outcome == history.Pending
		})
		switch {
		case done >= 0:
			message = "was answered " + string(u.tries[body][done].Outcome) + " instead of refused"
			p.answers(u.tries[body][done])
		case len(asked) > 0:
			message = "led to a debit of " + money.Text(body.amount, body.currency)
			p.answers(u.tries[body]...)
		default:
			continue
		}
		p.answers(u.tries[owner]...)
		p.ledger(asked...)
		out = append(out, Finding{body.order, fmt.Sprintf("%s was used for %s and came back with %s, and that %s",
			u.name, owner.text(), body.other(owner), message), p.lines()})
	}
	return out
}

// debitsOnlyOf are the debits that nothing else than this body of this key can have asked for.
func (v *view) debitsOnlyOf(u *keyUse, body, owner wording) []line {
	if u.refund || body.order == owner.order && body.amount == owner.amount && body.currency == owner.currency {
		return nil // what was given back is the business of RefundsBounded
	}
	s := v.known[body.order]
	for _, a := range s.answers {
		if a.Op == history.OpPay && a.Key != u.key && a.Outcome != history.Refused && a.Amount == body.amount && a.Currency == body.currency {
			return nil
		}
	}
	var out []line
	for _, l := range s.bank {
		if l.V.Kind == history.LedgerDebit && l.V.Amount == body.amount && l.V.Currency == body.currency {
			out = append(out, l)
		}
	}
	return out
}

func (w wording) text() string {
	text := money.Text(w.amount, w.currency)
	if w.channel != "" {
		text += " by " + w.channel
	}
	return text + " of order " + w.order
}

// other names what differs from the body that the key belongs to.
func (w wording) other(owner wording) string {
	var out []string
	if w.amount != owner.amount || w.currency != owner.currency {
		out = append(out, money.Text(w.amount, w.currency))
	}
	if w.channel != owner.channel {
		out = append(out, "channel "+w.channel)
	}
	if w.order != owner.order {
		out = append(out, "order "+w.order)
	}
	return listed(out)
}
