package checks

// OneDebit is I1. A surplus that was given back is lawful: what counts is what the bank holds at rest.
var OneDebit = register(Check{
	Name:      "one-debit",
	Invariant: "I1",
	Doc:       "At rest the bank holds at most one debit for each payment; a surplus that was given back is no break.",
	Cause: "The trade number is made when sending instead of stored before, or two requests of one payment reach the " +
		"bank because the lock or the unique key does not hold.",
	judge: judgeOneDebit,
})

func judgeOneDebit(v *view) Result {
	if !v.atRest() {
		return v.judged(nil, needLedger)
	}
	var findings []Finding
	for _, s := range v.stories {
		held := standing(debits(s.bank))
		if len(held) < 2 {
			continue
		}
		message := "the bank holds " + counted(len(held), "debit") + " of " + sums(held) + " for order " + s.order
		var p proofs
		p.ledger(moved(s.bank)...)
		if v.rest != nil && v.sees(needRest) {
			message += "; the service has " + counted(len(s.paidRows()), "SUCCESS row")
			p.rows(v.restAt, s.rows...)
		}
		findings = append(findings, Finding{s.order, message, p.lines()})
	}
	return v.judged(findings, needLedger)
}
