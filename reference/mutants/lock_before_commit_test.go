package mutants_test

import (
	"strings"
	"testing"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestLockBeforeCommit(t *testing.T) {
	contrastOnServers(t, "lock-before-commit", 2, 1, slowCommit, referencetest.With(quiet))
}

// decided tells that a second request has looked and is about to store its row, or waits for its turn to look.
func decided(statement string) bool {
	return strings.Contains(statement, "INSERT INTO pay_transaction") || strings.Contains(statement, "FOR UPDATE")
}

// slowCommit holds the COMMIT of the first of two requests until the second has decided, and counts the debits.
func slowCommit(r *rig) int {
	commit, arrived, release := referencetest.Commits("INSERT INTO pay_transaction"), make(chan struct{}), make(chan struct{})
	holding := false
	r.Link.Act(func(transaction, statement string) referencetest.DatabaseAct {
		switch {
		case !holding && commit(transaction, statement):
			holding = true
			close(arrived)
			return referencetest.DatabaseAct{Hold: release}
		case holding && release != nil && decided(statement):
			close(release)
			release = nil
		}
		return referencetest.DatabaseAct{}
	})
	first, second := r.Token("O"), r.Token("O")
	answers := make(chan reference.Answer, 2)
	go func() { answers <- r.Pay(pay("O", first)) }()
	referencetest.Next(r.T, arrived)
	go func() { answers <- r.Pay(pay("O", second)) }()
	referencetest.Next(r.T, answers)
	referencetest.Next(r.T, answers)
	return len(r.Bank.Debits("A-O"))
}
