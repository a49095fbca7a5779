package checks

import (
	"slices"

	"onedebit/scenarios/history"
)

// The words of a Gap that the checks know. A gap of any other name may have hidden anything, and lets no check pass.
const (
	gapLedger      = "ledger"
	gapRows        = "rows"
	gapEffects     = "effects"
	gapAlarms      = "alarms"
	gapLog         = "log"
	gapAttempts    = "attempts"
	gapFaults      = "faults"
	gapMessages    = "messages"
	gapProcesses   = "processes"
	gapInterrupted = history.GapInterrupted
	gapSteps       = "steps"
)

// gapNeeds says which needs a gap leaves unmet. Messages and processes are for the reader: no check here rests on them.
var gapNeeds = map[string]need{
	gapLedger: needLedger, gapRows: needRest | needReadings, gapEffects: needEffects, gapAlarms: needAlarms,
	gapLog: needLog, gapAttempts: needAnswers, gapFaults: needFaults, gapMessages: 0, gapProcesses: 0,
	history.GapTrouble: 0, history.GapEnvironment: 0, // the verdict says so; what was seen is judged all the same
	history.GapAwaited: 0, // the same
	gapSteps:           0, // what was done is judged like anything else; only what was to come of all of it is not
}

// judged is the result of a check that rests on what is needed: a break that was seen stands, whatever else was not;
// without one, what was not seen keeps the check from passing.
func (v *view) judged(findings []Finding, n need) Result {
	if len(findings) > 0 {
		return Result{Status: Fail, Findings: findings}
	}
	if n&needLedger != 0 && v.target.NoLedger {
		return notApplicable(noLedger)
	}
	if why := v.missing(n); why != "" {
		return Result{Status: Inconclusive, Reason: why}
	}
	return Result{Status: Pass}
}

// missing says what of the needs was not observed, or nothing.
func (v *view) missing(n need) string {
	for _, g := range v.gaps {
		if v.opens(g, n) {
			return g.V.What + " could not be observed: " + g.V.Why
		}
	}
	switch {
	case len(v.stories) == 0:
		return "no payment was made"
	case n&needLedger != 0 && v.lines == 0 && v.paid:
		return "the bank's ledger was not read: it has no line although payments were confirmed"
	case n&needLedger != 0 && !v.atRest():
		return "the experiment ended before the bank's ledger was at rest"
	case n&needRest != 0 && v.rest == nil:
		return "the service's books were not read at rest"
	case n&needReadings != 0 && v.readings == 0:
		return "the service's books were never read"
	case n&needAnswers != 0 && !v.answered():
		return "no client got an answer from which anything can be concluded"
	}
	return ""
}

// unfinished says why the steps of the scenario were not all carried out, or nothing.
func (v *view) unfinished() string {
	for _, g := range v.gaps {
		if g.V.What == gapSteps || g.V.What == gapInterrupted {
			return "the scenario was not carried out to its end: " + g.V.Why
		}
	}
	return ""
}

// opens reports whether a gap leaves one of the needs unmet. A look into the books that failed earlier is made good by
// the one at rest, for a check that rests on that one alone.
func (v *view) opens(g history.At[history.Gap], n need) bool {
	if g.V.What == gapInterrupted {
		return true
	}
	unmet, known := gapNeeds[g.V.What]
	if !known {
		return true
	}
	if g.V.What == gapRows && v.rest != nil && g.Time < v.observed {
		unmet &^= needRest
	}
	return unmet&n != 0
}

// sees reports whether the needs are met by what was read, so that what is absent there was truly absent.
func (v *view) sees(n need) bool {
	return !slices.ContainsFunc(v.gaps, func(g history.At[history.Gap]) bool { return v.opens(g, n) }) &&
		(n&needLedger == 0 || v.lines > 0) && (n&needRest == 0 || v.rest != nil)
}

// atRest reports whether the experiment came to the point at which everything stands still and is read.
func (v *view) atRest() bool { return v.rest != nil || v.observed >= 0 }

func (v *view) answered() bool {
	for _, s := range v.stories {
		if slices.ContainsFunc(s.answers, func(a *history.Attempt) bool { return a.Outcome != history.Unknown }) {
			return true
		}
	}
	return false
}

func notApplicable(why string) Result { return Result{Status: NotApplicable, Reason: why} }

func inconclusive(why string) Result { return Result{Status: Inconclusive, Reason: why} }

// noLedger is the reason of a check that is about money, for a target without a bank whose own debits cannot be read.
const noLedger = "this target has no bank, and its own debits cannot be read"

// noRows is the reason of a check that is about rows, for a target whose rows cannot be read.
const noRows = "the payment rows of this target cannot be read"
