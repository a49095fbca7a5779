package scenarios

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/reports"
	"onedebit/scenarios/stack"
)

// imagesVar names the images of servers where the public ones cannot be pulled.
const imagesVar = "ONEDEBIT_IMAGES"

// What is true of a service does not depend on where it runs: every runtime gives the same verdict, of the correct service
// and of one that is wrong. A scenario of each family stands for the catalogue, which CI carries out as a whole.
func TestRuntimesAgree(t *testing.T) {
	if detector {
		t.Skip("the service in its container is another process, and has its race tests of its own")
	}
	jobs := Plan([]*Scenario{
		known(t, "bank-answer-lost"), known(t, "success-then-fail"), known(t, "kill-after-debit"), known(t, "redis-restarted-with-loss"),
		known(t, "replay-ten-times"), known(t, "second-while-held"),
	}, 1, "")
	jobs = append(jobs, Plan([]*Scenario{known(t, "bank-answer-lost")}, 1, "trade-no-per-try")...)
	images, err := stack.ParseImages(os.Getenv(imagesVar), nil)
	require.NoError(t, err)
	verdicts := map[string]map[string]reports.Verdict{}
	for _, runtime := range stack.Runtimes() {
		o := rig(t)
		o.Jobs, o.Runtime, o.Images = jobs, runtime, images
		o.Servers, err = runtime.Servers(stack.Servers{})
		require.NoError(t, err)
		doc, err := Run(t.Context(), o)
		if errors.Is(err, stack.ErrNotUp) && os.Getenv("CI") != "true" {
			t.Logf("NOT TESTED: runtime %s: %v", runtime.Name, err)
			t.Skip("NOT TESTED: a runtime is not to be had here")
		}
		require.NoError(t, err)
		assert.Empty(t, doc.Error, "nothing was left behind")
		verdicts[runtime.Name] = map[string]reports.Verdict{}
		for i, s := range doc.Scenarios {
			verdicts[runtime.Name][jobs[i].String()] = s.Verdict
			assert.NotEqual(t, reports.Inconclusive, s.Verdict, "%s in %s: %s", s.Name, runtime.Name, s.Reason)
		}
	}
	for name, got := range verdicts {
		assert.Equal(t, verdicts[stack.Embedded.Name], got, "runtime %s", name)
	}
}
