package checks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// UnknownIsNotFailed is I10, judged over all readings and all answers. Lawful are the bank's own word, also where the
// bank makes the debit good later; a debit of a later attempt; and a late debit that was given back.
var UnknownIsNotFailed = register(Check{
	Name:      "unknown-is-not-failed",
	Invariant: "I10",
	Doc:       "FAILED is stored or answered only if the bank holds no debit for the payment and none can still come.",
	Cause: "A time-out, a cut connection, a 5xx or \"not found\" of the bank is stored as a failure instead of as " +
		"unknown, without asking the bank until it answers or closing the number first.",
	judge: judgeUnknownIsNotFailed,
})

func judgeUnknownIsNotFailed(v *view) Result {
	n := needLedger | needReadings | needAnswers
	switch {
	case !v.target.Rows:
		n &^= needReadings
	case !v.answered():
		n &^= needAnswers
	}
	refusals := v.strayRefusals()
	var findings []Finding
	for _, s := range v.stories {
		if f, broken := newDoubt(s, refusals).finding(); broken {
			findings = append(findings, f)
		}
		if f, broken := s.refundInDoubt(); broken {
			findings = append(findings, f)
		}
	}
	return v.judged(findings, n)
}

// strayRefusals are the bank's refusals that name no account, such as the close of a number that it never saw.
func (v *view) strayRefusals() map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, l := range v.strays {
		if _, known := out[l.V.TradeNo]; !known && l.V.Order == "" && bankSaidNo(l.V) {
			out[l.V.TradeNo] = l.Time
		}
	}
	return out
}

// doubt weighs what the service said to be FAILED about one payment against what the bank did.
type doubt struct {
	*story
	debits   []*debit
	open     []line                   // taken on by the bank and never decided
	refused  map[string]time.Duration // trade number → the bank's first word that it will not be debited
	refusals []time.Duration          // all such words, in time order
	firstKey string                   // of the first pay request sent
}

func newDoubt(s *story, stray map[string]time.Duration) *doubt {
	d := &doubt{story: s, debits: debits(s.bank), open: undecided(s.bank), refused: map[string]time.Duration{}}
	for _, l := range s.bank {
		if bankSaidNo(l.V) {
			if _, known := d.refused[l.V.TradeNo]; !known {
				d.refused[l.V.TradeNo] = l.Time
			}
			d.refusals = append(d.refusals, l.Time)
		}
	}
	for number := range s.trades {
		at, known := stray[number]
		if !known {
			continue
		}
		if first, already := d.refused[number]; !already || at < first {
			d.refused[number] = at
		}
		d.refusals = append(d.refusals, at)
	}
	slices.Sort(d.refusals)
	first := time.Duration(-1)
	for _, a := range s.answers {
		if a.Op == history.OpPay && (first < 0 || a.Sent < first || a.Sent == first && a.Key < d.firstKey) {
			first, d.firstKey = a.Sent, a.Key
		}
	}
	return d
}

func (d *doubt) finding() (Finding, bool) {
	if len(d.debits) == 0 && len(d.open) == 0 {
		return Finding{}, false
	}
	for _, c := range d.turns() {
		what := "its row was stored as FAILED"
		if c.answer != nil {
			what = "a client was told FAILED"
		}
		for _, debit := range d.debits {
			if !d.stands(debit, c) || d.lawful(debit.line, c) {
				continue
			}
			when := "although the bank had taken " + money.Text(debit.V.Amount, debit.V.Currency)
			if debit.Time > c.at {
				when = "and the bank took " + money.Text(debit.V.Amount, debit.V.Currency) + " after that"
			}
			return d.found(c, fmt.Sprintf("order %s: %s %s; what is unknown is not failed", d.order, what, when)), true
		}
		for _, l := range d.open {
			if !d.lawful(l, c) {
				return d.found(c, fmt.Sprintf("order %s: %s although the bank has taken on a debit of %s and may still carry it out",
					d.order, what, money.Text(l.V.Amount, l.V.Currency))), true
			}
		}
	}
	return Finding{}, false
}

func (d *doubt) found(c claim, message string) Finding {
	var p proofs
	c.prove(&p)
	p.ledger(moved(d.bank)...)
	return Finding{d.order, message, p.lines()}
}

// turns are the claims with which a row, a key or the answers to queries became FAILED. What is repeated after that is
// no new statement: the same key gets the same answer, also when a later attempt under another key succeeds.
func (d *doubt) turns() []claim {
	type subject struct{ kind, id string }
	was := map[subject]claim{}
	claims := append(d.rowClaims(), d.answerClaims()...)
	inTime(claims)
	var out []claim
	for _, c := range claims {
		of := subject{kind: "query"}
		if c.row != nil {
			of = subject{"row", c.row.ID}
		} else if c.answer.Op == history.OpPay {
			of = subject{"key", c.answer.Key}
		}
		before, known := was[of]
		was[of] = c
		same := known && before.state == c.state && before.number() == c.number()
		if c.state == history.StateFailed && !same {
			out = append(out, c)
		}
	}
	return out
}

// stands reports whether the bank held the debit when the claim was made, or took it later and kept it.
func (d *doubt) stands(debit *debit, c claim) bool {
	return debit.left > 0 || debit.Time <= c.from && debit.gone > c.at
}

// lawful reports whether the claim could be made in spite of the debit.
func (d *doubt) lawful(debit line, c claim) bool {
	if at, refused := d.refused[debit.V.TradeNo]; refused && at <= c.at {
		return true // the bank's own word about this very debit
	}
	if d.ofAnother(debit, c) {
		return true
	}
	// The claim followed the last refusal before it, so it was made no earlier than that.
	from := c.from
	if i, _ := slices.BinarySearch(d.refusals, c.at+1); i > 0 {
		from = max(from, d.refusals[i-1])
	}
	if debit.Time <= from || c.number() == debit.V.TradeNo && c.row != nil || d.trades[debit.V.TradeNo] <= from {
		return false
	}
	return d.allRefused(from, c.at) || d.newKey(c, from, debit.Time)
}

// ofAnother reports whether the debit is accounted for by another attempt than the one that the claim is about: by a row
// of its own, or by a key that was confirmed after the bank had refused this one.
func (d *doubt) ofAnother(debit line, c claim) bool {
	if c.row != nil {
		return slices.ContainsFunc(d.seen, func(x sighting) bool {
			return x.row.ID != c.row.ID && x.row.State != history.StateFailed &&
				(x.row.TradeNo == debit.V.TradeNo || x.row.TradeNo == "" && wasPaid(x.row.State))
		})
	}
	if !slices.ContainsFunc(d.answers, func(a *history.Attempt) bool {
		return wasPaid(said(a)) && (c.answer.Key == "" || a.Key != c.answer.Key)
	}) {
		return false
	}
	for number, at := range d.refused {
		if number != debit.V.TradeNo && at <= c.at {
			return true
		}
	}
	return false
}

// allRefused reports whether the bank had refused every debit of the payment that anybody knew of by then.
func (d *doubt) allRefused(from, at time.Duration) bool {
	some := false
	for number, first := range d.trades {
		if first > from {
			continue
		}
		refused, ok := d.refused[number]
		if !ok || refused > at {
			return false
		}
		some = true
	}
	return some
}

// newKey reports whether a further attempt, under a key other than the first, began between the claim and the debit.
func (d *doubt) newKey(c claim, from, until time.Duration) bool {
	return slices.ContainsFunc(d.answers, func(a *history.Attempt) bool {
		return a.Op == history.OpPay && a.Key != d.firstKey && a.Sent >= from && a.Sent <= until &&
			(c.answer == nil || a.Key != c.answer.Key)
	})
}

// refundInDoubt finds a refund that was called FAILED although the bank gave the money back, and had never refused to.
func (s *story) refundInDoubt() (Finding, bool) {
	for _, l := range s.bank {
		if l.V.Kind != history.LedgerRefund || l.V.RefundNo == "" {
			continue
		}
		refused := slices.IndexFunc(s.bank, func(o line) bool {
			return o.V.Kind == history.LedgerDecline && o.V.Op == opRefund && o.V.RefundNo == l.V.RefundNo
		})
		id := ""
		for _, x := range s.givingsSeen {
			if x.row.RefundNo != l.V.RefundNo {
				continue
			}
			if id = x.row.RefundID; x.row.State == history.StateFailed && (refused < 0 || s.bank[refused].Time > x.at) {
				var p proofs
				p.givings(x.at, x.row)
				p.ledger(moved(s.bank)...)
				return Finding{s.order, fmt.Sprintf("order %s: its refund %s was stored as FAILED although the bank gave %s back; what is unknown is not failed",
					s.order, cmp.Or(id, l.V.RefundNo), money.Text(l.V.Amount, l.V.Currency)), p.lines()}, true
			}
		}
		for _, a := range s.returns {
			if id == "" || a.RefundID != id || said(a) != history.StateFailed || refused >= 0 && s.bank[refused].Time <= a.Done {
				continue
			}
			var p proofs
			p.answers(a)
			p.ledger(moved(s.bank)...)
			return Finding{s.order, fmt.Sprintf("order %s: a client was told that its refund %s is FAILED although the bank gave %s back; what is unknown is not failed",
				s.order, id, money.Text(l.V.Amount, l.V.Currency)), p.lines()}, true
		}
	}
	return Finding{}, false
}
