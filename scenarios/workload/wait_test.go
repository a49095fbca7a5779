package workload

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWait(t *testing.T) {
	refuses(t,
		[2]string{"- wait", "s.yaml:1:3: expected a duration such as 250ms, 3s or 10m, found nothing"},
		[2]string{"- wait: 7", `s.yaml:1:9: expected a duration such as 250ms, 3s or 10m, found "7"`},
		[2]string{"- wait: {for: 7s}", "expected a duration such as 250ms, 3s or 10m, found keys and values"})

	r := newRig(t, "")
	began := r.Recorder.Since()
	r.run("- wait: 2s")
	assert.GreaterOrEqual(t, r.Recorder.Since()-began, r.Stack.Scale(2*time.Second), "time goes by at the speed of the experiment")

	ctx, cancel := context.WithCancel(t.Context())
	steps, err := read("- wait: 100h")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, steps) }()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}
