package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onedebit/reference"
)

func TestSeenBeforeWork(t *testing.T) {
	contrast(t, "seen-before-work", 0, 1, func(r *rig) int {
		body := event(r, "E1")
		consumer := reference.Consumers()[0]
		rename := func(from, to string) {
			_, err := r.Service.Store.Exec(r.T.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
			require.NoError(r.T, err)
		}
		rename(consumer.Name, "away")
		require.NoError(r.T, r.Service.Parts.Deliver(r.T.Context(), r.Service, consumer, &delivery{body: body}))
		rename("away", consumer.Name)
		require.NoError(r.T, r.Service.Parts.Deliver(r.T.Context(), r.Service, consumer, &delivery{body: body}))
		return r.Count(consumer.Name, "1 = 1")
	})
}
