package mutants_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

func TestPublishBeforeCommit(t *testing.T) {
	contrastOnServers(t, "publish-before-commit", 2, 1, func(r *rig) int {
		r.PayNew("N")
		r.Until(func() bool { return r.Count("membership", "order_id = 'N'") == 1 }, "no effect")
		r.Link.Nth(1, settling, referencetest.DatabaseAct{Fail: "40001"})
		r.PayNew("O")
		r.PayNew("P")
		r.Until(func() bool { return r.Count("membership", "order_id = 'P'") == 1 }, "no effect")
		return r.Count("membership", "order_id = 'O'")
	}, referencetest.Queue())
}
