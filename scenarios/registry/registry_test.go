package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

type toxic struct{ name string }

func TestRegistry(t *testing.T) {
	all := New("toxic", func(x *toxic) string { return x.name })
	slow := all.Add(toxic{"slow"}, true)
	cut := all.Add(toxic{"cut"}, true)
	assert.Equal(t, []string{"cut", "slow"}, all.Names())
	assert.Equal(t, []*toxic{cut, slow}, all.All())
	found, ok := all.Named("slow")
	assert.Same(t, slow, found)
	assert.True(t, ok)
	_, ok = all.Named("fast")
	assert.False(t, ok)
	assert.PanicsWithValue(t, `toxic "slow" is registered twice`, func() { all.Add(toxic{"slow"}, true) })
	assert.PanicsWithValue(t, `toxic "half" is not complete`, func() { all.Add(toxic{"half"}, false) })
	assert.PanicsWithValue(t, `toxic "" is not complete`, func() { all.Add(toxic{}, true) })
}
