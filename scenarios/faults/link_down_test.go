package faults

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinkDown(t *testing.T) {
	reads(t, []string{"cache"}, sample{"link-down: {link: cache}", "link cache is cut"})
	refuses(t,
		sample{"link-down: {}", "s.yaml:1:12: link: say which link is cut"},
		sample{"link-down:", "s.yaml:1:11: link: say which link is cut"},
		sample{"link-down: cache", `expected keys and values (link), found "cache"`},
		sample{"link-down: {link: cache, message: GET}", `unknown key "message"; valid are: link`})

	r := newRig(t)
	r.debited()
	a := r.arm("link-down: {link: bank}")
	require.ErrorIs(t, r.debit().err, syscall.ECONNREFUSED)
	r.felt(a, 1, 0)
	require.NoError(t, a.Release(t.Context()))
	require.ErrorIs(t, r.debit().err, syscall.ECONNREFUSED, "there is nothing to be released")
	assert.Equal(t, "+PONG", r.redis("PING"), "other links stay up")
	r.heal(a, 1)
	r.debited()
}

func TestLinkDownEndsWhatIsUnderWay(t *testing.T) {
	r := newRig(t)
	hold := r.arm("hold: {link: bank}")
	held := r.begin(r.patient())
	r.await(hold, 1, 1)
	a := r.arm("link-down: {link: bank}")
	require.Error(t, (<-held).err)
	r.heal(a, 1)
	r.heal(hold, 1)
	r.debited()
}
