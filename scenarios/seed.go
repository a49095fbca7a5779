package scenarios

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
)

// stream is a source of chance of its own for each name under one seed, so that a fault that is added shifts no other's.
func stream(seed uint64, names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, n := range names {
		_, _ = h.Write([]byte(strconv.Quote(n)))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
