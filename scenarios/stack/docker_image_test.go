package stack

import (
	"os"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// While a run is on the engine no image is pruned: it may be about to use one.
func TestNoImageIsPrunedUnderARun(t *testing.T) {
	e, err := dialEngine(t.Context())
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("NOT TESTED: %v", err)
	}
	require.NoError(t, err)
	defer e.close()
	w, err := NewWorkdir(t.TempDir())
	require.NoError(t, err)
	defer w.Remove()
	require.NoError(t, e.name(w))
	require.NoError(t, e.openNetwork(t.Context()))
	defer func() { assert.NoError(t, e.sweep(e.labels)) }()
	count := func() int {
		images, err := e.api.ImageList(t.Context(), client.ImageListOptions{Filters: client.Filters{}.Add("label", ownLabel)})
		require.NoError(t, err)
		return len(images.Items)
	}
	before := count()
	other, err := dialEngine(t.Context())
	require.NoError(t, err)
	defer other.close()
	n, err := other.prune(t.Context(), "", time.Now().Add(-keptFor))
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.GreaterOrEqual(t, count(), before)
}
