package reference_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/reference"
)

func TestTransitionTable(t *testing.T) {
	legal := map[reference.Status]map[reference.Status]bool{
		reference.Pending:        {reference.Processing: true, reference.Failed: true, reference.Success: true, reference.Closed: true},
		reference.Processing:     {reference.Success: true, reference.Failed: true, reference.Unknown: true},
		reference.Unknown:        {reference.Pending: true, reference.Success: true, reference.Failed: true, reference.Closed: true},
		reference.Failed:         {reference.Success: true},
		reference.Success:        {reference.PartlyRefunded: true, reference.Refunded: true},
		reference.PartlyRefunded: {reference.Refunded: true},
	}
	for _, from := range reference.Statuses() {
		for _, to := range reference.Statuses() {
			assert.Equal(t, legal[from][to], reference.CanMove(from, to), "%s to %s", from, to)
		}
	}
	assert.False(t, reference.CanMove("PAID", reference.Success), "from nowhere")
}

func TestRefundTransitionTable(t *testing.T) {
	legal := map[reference.Status]map[reference.Status]bool{
		reference.Pending:    {reference.Processing: true, reference.Success: true},
		reference.Processing: {reference.Success: true, reference.Failed: true, reference.Unknown: true},
		reference.Unknown:    {reference.Processing: true, reference.Success: true, reference.Failed: true},
		reference.Failed:     {reference.Success: true},
	}
	for _, from := range reference.Statuses() {
		for _, to := range reference.Statuses() {
			assert.Equal(t, legal[from][to], reference.CanMoveRefund(from, to), "%s to %s", from, to)
		}
	}
}

func TestStatusWords(t *testing.T) {
	for status, want := range map[reference.Status]struct{ live, final, paid bool }{
		reference.Pending: {true, false, false}, reference.Processing: {true, false, false}, reference.Unknown: {true, false, false},
		reference.Success: {true, true, true}, reference.PartlyRefunded: {true, true, true}, reference.Refunded: {true, true, true},
		reference.Failed: {false, true, false}, reference.Closed: {true, true, false},
	} {
		assert.Equal(t, want.paid, status.Paid(), status)
		assert.Equal(t, want.live, status.Live(), status)
		assert.Equal(t, want.final, status.Final(), status)
	}
}
