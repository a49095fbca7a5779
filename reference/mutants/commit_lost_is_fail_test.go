package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestCommitLostIsFail(t *testing.T) {
	for name, commit := range map[string]func(string, string) bool{
		"SUCCESS": settling, "PROCESSING": referencetest.Commits("INSERT INTO bank_trade"),
	} {
		t.Run(name, func(t *testing.T) {
			contrastOnServers(t, "commit-lost-is-fail", reference.Failed, reference.Success, func(r *rig) reference.Status {
				r.Link.Nth(1, commit, referencetest.DatabaseAct{Lose: true})
				status := r.PayNew("O").Status
				if name == "SUCCESS" {
					assert.Len(r.T, r.Bank.Debits("A-O"), 1)
				}
				return status
			}, referencetest.With(quiet))
		})
	}
}
