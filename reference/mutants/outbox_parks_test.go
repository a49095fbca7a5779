package mutants_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/reference/referencetest"
)

func TestOutboxParks(t *testing.T) {
	contrast(t, "outbox-parks", 0, 1, func(r *rig) int {
		event := "pay.success:" + r.PayNew("O").PaymentID
		for range 5 {
			require.NoError(r.T, r.Parts.Unsent(r.T.Context(), r.Service, event, errors.New("no broker")))
		}
		r.Stop()
		referencetest.Queue()(r)
		r.Start()
		r.PayNew("P")
		r.Until(func() bool { return r.Count("membership", "order_id = 'P'") == 1 }, "no effect")
		return r.Count("membership", "order_id = 'O'")
	})
}

func TestOutboxParksOnlyAfterFive(t *testing.T) {
	contrast(t, "outbox-parks", 1, 1, func(r *rig) int {
		event := "pay.success:" + r.PayNew("O").PaymentID
		for range 4 {
			require.NoError(r.T, r.Parts.Unsent(r.T.Context(), r.Service, event, errors.New("no broker")))
		}
		return r.Count("outbox_event", "sent_at IS NULL")
	})
}
