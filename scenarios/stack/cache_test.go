package stack

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheEmbeddedCacheKeepsTime(t *testing.T) {
	c, err := startCache("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, c.close()) }()
	client := redis.NewClient(&redis.Options{Addr: c.redis.Addr()})
	defer client.Close()
	require.NoError(t, client.Set(t.Context(), "lock", "1", 20*time.Millisecond).Err())
	require.NoError(t, client.Set(t.Context(), "row", "1", time.Hour).Err())
	require.Eventually(t, func() bool { return client.Exists(t.Context(), "lock").Val() == 0 }, 20*time.Second, time.Millisecond)
	assert.EqualValues(t, 1, client.Exists(t.Context(), "row").Val())
	n, err := c.Flush(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Zero(t, client.Exists(t.Context(), "row").Val())
}

func TestTimePassesForTheKeys(t *testing.T) {
	server, err := startCache("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, server.close()) }()
	shared, err := joinCache("redis://"+server.redis.Addr()+"/0", "mine:")
	require.NoError(t, err)
	defer func() { require.NoError(t, shared.close()) }()
	for name, c := range map[string]Cache{"embedded": server, "shared": shared} {
		t.Run(name, func(t *testing.T) {
			for key, life := range map[string]time.Duration{"mine:minute": time.Minute, "mine:day": 24 * time.Hour, "mine:ever": 0} {
				require.NoError(t, shared.client.Set(t.Context(), key, "1", life).Err())
			}
			require.NoError(t, c.Advance(t.Context(), time.Hour))
			assert.Equal(t, []string{"mine:day", "mine:ever"}, server.redis.Keys())
			assert.LessOrEqual(t, server.redis.TTL("mine:day"), 23*time.Hour)
			assert.Zero(t, server.redis.TTL("mine:ever"))
		})
	}
}

// On a server that is shared, only the keys of the experiment are forgotten.
func TestASharedCacheForgetsItsOwnKeysOnly(t *testing.T) {
	server, err := startCache("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, server.close()) }()
	c, err := joinCache("redis://"+server.redis.Addr()+"/0", "mine:")
	require.NoError(t, err)
	c.CatchUp()
	for _, key := range []string{"mine:1", "mine:2", "yours:1"} {
		require.NoError(t, c.client.Set(t.Context(), key, "1", 0).Err())
	}
	n, err := c.Flush(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, []string{"yours:1"}, server.redis.Keys())
	require.NoError(t, c.close())

	_, err = joinCache("redis://127.0.0.1:1/0", "x:")
	require.ErrorIs(t, err, ErrNotUp)
	require.ErrorContains(t, err, "127.0.0.1:1")
}
