package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

func TestConsumeNoDedup(t *testing.T) {
	contrast(t, "consume-no-dedup", 10, 1, func(r *rig) int {
		event := reference.NewEvent(r.Config, "E1", reference.Payment{ID: "P1", OrderID: "O", Merchant: "M1"})
		for range 10 {
			_, err := r.Parts.Consume(r.T.Context(), r.Service, reference.Consumers()[0], event)
			require.NoError(r.T, err)
		}
		return r.Count("membership", "order_id = ?", "O")
	})
}
