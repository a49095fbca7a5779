package mutants

import "onedebit/reference"

// FinishedRunsAgain has the bank say again what became of a payment when a client repeats it, by sending the debit again.
// That is right only at a bank that knows its numbers again.
var FinishedRunsAgain = register(Mutant{
	Name:     "finished-runs-again",
	Doc:      "a repeat of a payment that is SUCCESS is sent to the bank again under its number",
	Scenario: "restart-then-again",
	Check:    "one-debit",
	Says:     "has 1 SUCCESS row",
	Sources:  []string{"mojaloop/project#424"},
	Apply:    func(p *reference.Parts) { p.Admit = askAgainWhile(p.Admit, reference.Success) },
})
