package stack

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// Cache is the harness's own way to the cache, beside the proxy.
type Cache interface {
	// CatchUp makes sure that whatever ought to have expired by now has.
	CatchUp()
	// Advance lets so much time pass for every key of this experiment.
	Advance(context.Context, time.Duration) error
	// Flush forgets every key of this experiment and says how many there were.
	Flush(context.Context) (int, error)
}

// upCache gives the experiment a cache: an embedded one, or a part of the server given.
func (s *Stack) upCache(_ context.Context, place proxied, vars targets.Vars) error {
	if s.Target.Links[CacheLink] == nil {
		return nil
	}
	at := ""
	if s.Servers.Cache == "" {
		cache, err := startCache(s.Loopback.Any())
		if err != nil {
			return err
		}
		s.Cache, at = cache, cache.redis.Addr()
		s.restarts = map[string]func(context.Context, bool) error{CacheLink: cache.restart}
		s.place("cache", "redis://"+at+"/0")
		s.onClose(cache.close)
	} else {
		server, err := url.Parse(s.Servers.Cache)
		if err != nil {
			return fmt.Errorf("cache server: %w: %w", ErrNotUp, err)
		}
		prefix := s.Workdir.Unique("cache") + ":"
		if err := s.Workdir.lease(lease{Kind: leaseKeys, Server: s.Servers.Cache, Name: prefix}); err != nil {
			return err
		}
		cache, err := joinCache(s.Servers.Cache, prefix)
		if err != nil {
			return err
		}
		s.Cache, at = cache, server.Host
		s.placeServer("cache, keys "+prefix+"*", server)
		s.onClose(cache.close)
		vars["cache.prefix"] = prefix
	}
	at, err := place(CacheLink, wire.RESP, at)
	if err != nil {
		return err
	}
	address(vars, CacheLink, "redis", at)
	vars["cache.url"] = "redis://" + at + "/0"
	return nil
}

// memoryCache is the embedded Redis. Its clock does not run by itself: the harness drives it at wall speed, so that keys
// expire as they would.
type memoryCache struct {
	redis *miniredis.Miniredis
	stop  context.CancelFunc
	done  chan struct{}

	mu   sync.Mutex
	last time.Time
}

// cacheTick is how exactly keys expire.
const cacheTick = 2 * time.Millisecond

func startCache(listen string) (*memoryCache, error) {
	r := miniredis.NewMiniRedis()
	if err := r.StartAddr(listen); err != nil {
		return nil, fmt.Errorf("starting the embedded Redis: %w: %w", ErrNotUp, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &memoryCache{redis: r, stop: stop, done: make(chan struct{}), last: time.Now()}
	go c.drive(ctx)
	return c, nil
}

func (c *memoryCache) drive(ctx context.Context) {
	defer close(c.done)
	tick := time.NewTicker(cacheTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.CatchUp()
		}
	}
}

// CatchUp brings the clock to the present. It goes on only from when it was last brought up: a busy machine makes keys
// live longer in wall time, never shorter.
func (c *memoryCache) CatchUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.redis.FastForward(now.Sub(c.last))
	c.last = now
}

func (c *memoryCache) Advance(_ context.Context, by time.Duration) error {
	c.redis.FastForward(by)
	return nil
}

func (c *memoryCache) Flush(context.Context) (int, error) {
	n := len(c.redis.Keys())
	c.redis.FlushAll()
	return n, nil
}

// restart closes every connection and listens again at the same address.
func (c *memoryCache) restart(_ context.Context, lose bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	address := c.redis.Addr()
	c.redis.Close()
	if lose {
		c.redis.FlushAll()
	}
	return c.redis.StartAddr(address)
}

func (c *memoryCache) close() error {
	c.stop()
	<-c.done
	c.redis.Close()
	return nil
}

// serverCache is the keys of one experiment on a Redis server that it shares with others.
type serverCache struct {
	client *redis.Client
	prefix string
}

// cacheWait bounds the harness's own talks with a cache server.
const cacheWait = 10 * time.Second

func joinCache(server, prefix string) (*serverCache, error) {
	options, err := redis.ParseURL(server)
	if err != nil {
		return nil, fmt.Errorf("cache server: %w: %w", ErrNotUp, err)
	}
	c := &serverCache{client: redis.NewClient(options), prefix: prefix}
	ctx, cancel := context.WithTimeout(context.Background(), cacheWait)
	defer cancel()
	if err := c.client.Ping(ctx).Err(); err != nil {
		_ = c.client.Close()
		return nil, fmt.Errorf("reaching the cache server at %s: %w: %w", options.Addr, ErrNotUp, err)
	}
	return c, nil
}

// CatchUp has nothing to do: the server keeps time itself.
func (c *serverCache) CatchUp() {}

// Advance shortens the life of every key: the server's clock is not ours to move.
func (c *serverCache) Advance(ctx context.Context, by time.Duration) error {
	err := c.each(ctx, func(ctx context.Context, key string) error {
		left, err := c.client.PTTL(ctx, key).Result()
		if err != nil || left < 0 { // it never expires, or has gone
			return err
		}
		return c.client.PExpire(ctx, key, left-by).Err() // one that has passed removes the key
	})
	if err != nil {
		return fmt.Errorf("letting time pass for the keys of the experiment: %w", err)
	}
	return nil
}

func (c *serverCache) Flush(ctx context.Context) (n int, err error) {
	err = c.each(ctx, func(ctx context.Context, key string) error {
		n++
		return c.client.Del(ctx, key).Err()
	})
	if err != nil {
		return n, fmt.Errorf("forgetting the keys of the experiment: %w", err)
	}
	return n, nil
}

// each visits the keys of the experiment.
func (c *serverCache) each(ctx context.Context, visit func(context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(ctx, cacheWait)
	defer cancel()
	keys := c.client.Scan(ctx, 0, c.prefix+"*", 1000).Iterator()
	for keys.Next(ctx) {
		if err := visit(ctx, keys.Val()); err != nil {
			return err
		}
	}
	return keys.Err()
}

func (c *serverCache) close() error {
	_, err := c.Flush(context.Background())
	_ = c.client.Close()
	return err
}
