package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRegistry(t *testing.T) {
	r := registry[int]{}
	assert.Equal(t, 2, r.register("two", 2))
	r.register("one", 1)
	assert.Panics(t, func() { r.register("", 3) })
	assert.Panics(t, func() { r.register("one", 3) })
	schemes := r.schemes()
	assert.Equal(t, []string{"one", "two"}, schemes)
	schemes[0] = "changed"
	assert.Equal(t, []string{"one", "two"}, r.schemes())
	kind, err := r.of("two://host")
	require.NoError(t, err)
	assert.Equal(t, 2, kind)
	_, err = r.of("three://user:secret@host")
	require.ErrorContains(t, err, "one://, two://")
	assert.NotContains(t, err.Error(), "secret")
}

func TestKindsThatAreKnown(t *testing.T) {
	assert.Equal(t, []string{"mysql", "postgres", "sqlite"}, dialects.schemes())
	assert.Equal(t, []string{"amqp", "kafka"}, brokers.schemes())
}
