package mutants_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/assert"

	"onedebit/reference"
	"onedebit/reference/referencetest"
)

func TestLockRenewalDies(t *testing.T) {
	const life = 300 * time.Millisecond
	short := func(c *reference.Config) { c.TokenTTL = reference.Duration(120 * life) }
	contrast(t, "lock-renewal-dies", 2, 1, func(r *rig) int {
		release := make(chan struct{})
		keys := []string{r.Token("O"), r.Token("O"), r.Token("P")}
		first := begin(r, pay("O", keys[0]), release)
		var scripts atomic.Int32
		r.Cache.Server().SetPreHook(func(peer *server.Peer, command string, _ ...string) bool {
			if strings.HasPrefix(command, "EVAL") {
				scripts.Add(1)
			}
			peer.WriteError("LOADING")
			return true
		})
		assert.Equal(r.T, 503, r.Pay(pay("P", keys[2])).HTTP)
		r.Until(func() bool { return scripts.Load() > 0 }, "nobody has prolonged or given back anything")
		r.Cache.Server().SetPreHook(nil)
		r.Cache.FastForward(life)
		r.Pay(pay("O", keys[1]))
		close(release)
		referencetest.Next(r.T, first)
		return len(r.Bank.Debits("A-O"))
	}, referencetest.With(quiet), referencetest.With(short))
}
