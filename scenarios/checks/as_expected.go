package checks

import (
	"fmt"
	"slices"
	"strings"

	"onedebit/scenarios/history"
	"onedebit/scenarios/money"
)

// AsExpected compares with what the scenario says, which goes beyond what every payment service must keep.
var AsExpected = register(Check{
	Name:  "as-expected",
	Doc:   "Each payment ends as its scenario says: state, debits, alarms, log and requests to the bank; an appeal tells the whole chain.",
	Cause: "A defence that this scenario is about did not work, or the scenario asks for more than this service promises.",
	judge: judgeAsExpected,
})

func judgeAsExpected(v *view) Result {
	if why := v.unfinished(); why != "" {
		return inconclusive(why)
	}
	var findings []Finding
	var needs need
	log := v.logs()
	for _, s := range v.stories {
		for _, p := range s.asked {
			if p.Expect == nil {
				continue
			}
			e := expectation{view: v, story: s, Expect: p.Expect, log: log[s.order], logRead: len(log) > 0}
			e.judge()
			needs |= e.needs
			findings = append(findings, e.findings...)
		}
	}
	switch {
	case needs == 0 && len(v.stories) == 0:
		return inconclusive("no payment was made")
	case needs == 0:
		return notApplicable("the scenario expects nothing beyond the invariants")
	case len(findings) > 0:
	case needs&needRest != 0 && !v.target.Rows:
		return inconclusive("what the service's books say is expected, and " + noRows)
	case needs&needLog != 0 && len(log) == 0:
		return inconclusive("words in the log are expected, and the service's log was not read")
	}
	return v.judged(findings, needs)
}

// logs are the lines of the service's log by payment. Of the lines that name no payment of ours one is kept, as the
// proof that the log was read.
func (v *view) logs() map[string][]*history.LogLine {
	out := map[string][]*history.LogLine{}
	for _, l := range v.history.Log() {
		if s := v.known[l.V.Order]; s != nil {
			out[s.order] = append(out[s.order], l.V)
		} else if out[""] == nil {
			out[""] = []*history.LogLine{l.V}
		}
	}
	return out
}

// expectation judges one payment against what its scenario says of it.
type expectation struct {
	*view
	*story
	*history.Expect
	log      []*history.LogLine
	logRead  bool
	needs    need
	findings []Finding
}

func (e *expectation) judge() {
	e.judgeState()
	e.judgeMoney()
	e.judgeAlarms()
	e.judgeLog()
	e.judgeAppeals()
}

func (e *expectation) find(p proofs, format string, args ...any) {
	if len(p) == 0 { // what is missing can only be shown by where it was looked for
		p.add(max(e.restAt, e.observed, 0), "nothing of the kind was found for order %s at rest", e.order)
	}
	message := fmt.Sprintf("order %s: ", e.order) + fmt.Sprintf(format, args...)
	e.findings = append(e.findings, Finding{e.order, message, p.lines()})
}

func (e *expectation) judgeState() {
	if len(e.Status) == 0 {
		return
	}
	e.needs |= needRest
	if !e.target.Rows || !e.sees(needRest) {
		return
	}
	var p proofs
	p.rows(e.restAt, e.rows...)
	state := e.state()
	switch {
	case slices.Contains(e.Status, state):
	case state == "":
		e.find(p, "the service has no row at rest, expected is %s", strings.Join(e.Status, " or "))
	default:
		e.find(p, "it is %s at rest, expected is %s", state, strings.Join(e.Status, " or "))
	}
}

// state is the state of the payment as its rows say it: a success counts before what is still open, and that before a
// failed attempt. Of several rows that count the same, the latest speaks.
func (e *expectation) state() string {
	for _, state := range []string{history.StateSuccess, history.StatePartlyRefunded, history.StateRefunded} {
		if slices.ContainsFunc(e.paidRows(), func(r *history.Row) bool { return r.State == state }) {
			return state
		}
	}
	for _, rows := range [][]*history.Row{e.open(), e.endedRows(), e.rows} {
		if len(rows) > 0 {
			return rows[len(rows)-1].State
		}
	}
	return ""
}

func (e *expectation) judgeMoney() {
	if e.Debits == nil && !e.Declined && e.Requests == nil && e.Refunded == nil {
		return
	}
	e.needs |= needLedger
	if !e.atRest() {
		return
	}
	held := standing(debits(e.bank))
	var p proofs
	p.ledger(moved(e.bank)...)
	if e.Debits != nil && (len(held) > *e.Debits || len(held) < *e.Debits && e.sees(needLedger)) {
		e.find(p, "the bank holds %s at rest, expected is %d", counted(len(held), "debit"), *e.Debits)
	}
	if e.Declined && len(held) > 0 {
		e.find(p, "the bank declined it for good, and yet it holds %s", sums(held))
	}
	if back := givenBack(e.bank); e.Refunded != nil && (back > *e.Refunded || back < *e.Refunded && e.sees(needLedger)) {
		e.find(p, "the bank gave back %s on request, expected is %s", money.Text(back, e.asked[0].Currency), money.Text(*e.Refunded, e.asked[0].Currency))
	}
	if e.Requests == nil {
		return
	}
	n := 0
	for _, l := range e.bank {
		if l.V.Kind == history.LedgerRequest && l.V.Op == opDebit {
			n++
			p.ledger(l)
		}
	}
	if n > *e.Requests {
		e.find(p, "%s reached the bank, expected at most %d", counted(n, "debit request"), *e.Requests)
	}
}

func (e *expectation) judgeAlarms() {
	if e.Alarms == nil {
		return
	}
	e.needs |= needAlarms | needRest
	if e.sees(needRest|needAlarms) && len(e.alarms) < *e.Alarms {
		var p proofs
		for _, a := range e.alarms {
			p.add(e.restAt, "the service recorded an alarm: %s %s", a.Kind, a.Detail)
		}
		e.find(p, "the service recorded %s, expected at least %d", counted(len(e.alarms), "alarm"), *e.Alarms)
	}
}

func (e *expectation) judgeLog() {
	if len(e.Logged) == 0 {
		return
	}
	e.needs |= needLog
	if !e.logRead || !e.sees(needLog) {
		return
	}
	for _, word := range e.Logged {
		if !slices.ContainsFunc(e.log, func(l *history.LogLine) bool {
			return l.Step == word || l.Status == word || strings.Contains(l.Text, word)
		}) {
			e.find(nil, "the service's log does not say %q of it", word)
		}
	}
}

// judgeAppeals looks at what the service answered when it was asked for all that it knows.
func (e *expectation) judgeAppeals() {
	for _, a := range e.appeals {
		if len(a.Untold) == 0 {
			continue
		}
		e.needs |= needAnswers
		var p proofs
		p.answers(a)
		e.find(p, "the answer to an appeal does not tell %s, which the service's books hold", listed(a.Untold))
	}
}
