package faults

import (
	"context"

	"onedebit/scenarios/stack"
)

// CacheFlush makes the cache forget everything, as a restart without persistence does. It is felt only where there was
// something to forget.
var CacheFlush = register(Kind{
	Name:    "cache-flush",
	Doc:     "the cache forgets every key, as a restart without persistence does",
	Example: "cache-flush: {}",
	New:     func() Fault { return &cacheFlush{} },
})

type cacheFlush struct{}

func (f *cacheFlush) Links() []string { return []string{stack.CacheLink} }
func (f *cacheFlush) Text() string    { return "the cache forgets everything" }

func (f *cacheFlush) Arm(ctx context.Context, env *Env) (Armed, error) {
	n, err := env.Stack.Cache.Flush(ctx)
	return instant{fired: min(1, n)}, err
}
