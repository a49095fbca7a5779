package mutants_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

func TestEffectAndMarkSplit(t *testing.T) {
	contrast(t, "effect-and-mark-split", 2, 1, func(r *rig) int {
		body := event(r, "E1")
		consumer := reference.Consumers()[0]
		lost := &delivery{body: body, ack: errors.New("the broker is gone")}
		require.Error(r.T, r.Service.Parts.Deliver(r.T.Context(), r.Service, consumer, lost))
		require.NoError(r.T, r.Service.Parts.Deliver(r.T.Context(), r.Service, consumer, &delivery{body: body}))
		return r.Count(consumer.Name, "1 = 1")
	})
}
