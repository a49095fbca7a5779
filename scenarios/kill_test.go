package scenarios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reference/mutants"
	"onedebit/reports"
)

// The proof that the checks see: every service with one defence wrong is caught by the check that it names, and the
// correct one passes the very same scenarios. What needs a link that a file has not is tried by .ci/run, which starts the
// servers.
func TestEveryMutantIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TRIED with -short: no mutant is put before its scenario; make test does it")
	}
	all := mutants.All()
	o := rig(t)
	for _, m := range all {
		s := known(t, m.Scenario)
		o.Jobs = append(o.Jobs, Job{Scenario: s, Trial: 1, Mutant: m.Name})
		if control := (Job{Scenario: s, Trial: 1}); !slices.Contains(o.Jobs, control) {
			o.Jobs = append(o.Jobs, control)
		}
	}
	doc := carry(t, t.Context(), o)
	require.Len(t, doc.Scenarios, len(o.Jobs))
	for i, r := range doc.Scenarios {
		t.Run(o.Jobs[i].String(), func(t *testing.T) {
			if r.Verdict == reports.Skipped {
				t.Skipf("NOT TRIED without a database server: %s; .ci/run tries it", r.Reason)
			}
			assert.Empty(t, r.Error)
			for _, l := range load(t, o, r).Log() {
				require.NotContains(t, l.V.Text, "panic:", "a wrong service is wrong about money, it does not crash")
			}
			if r.Mutant == "" {
				assert.Equal(t, reports.Pass, r.Verdict, "%s %v", r.Reason, failed(r))
				return
			}
			m, _ := mutants.Named(r.Mutant)
			assert.Equal(t, reports.Fail, r.Verdict, r.Reason)
			assert.Equal(t, reports.Fail, check(t, r, m.Check).Verdict, "not caught by the check that it names, but by %v", failed(r))
			assert.NotEmpty(t, r.Orders, "the payment with its evidence")
			assert.NotEmpty(t, check(t, r, m.Check).Findings)
		})
	}
}
