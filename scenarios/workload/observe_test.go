package workload

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestObserve(t *testing.T) {
	refuses(t, [2]string{"- observe: {of: A}", `unknown key "of"; none is valid here`})
	r := newRig(t, "")
	r.run("- observe\n- observe: {}")
	assert.Equal(t, 2, r.looks)
	r.Observe = func(context.Context) (history.Reading, error) { return history.Reading{}, errors.New("locked") }
	require.EqualError(t, r.try("- observe"), "step observe (line 1): locked")
}
