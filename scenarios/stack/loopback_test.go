package stack

import (
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoopbackGivesAddressesThatCanBeTakenAgain(t *testing.T) {
	l := NewLoopback(rand.New(rand.NewPCG(1, 2)))
	seen := map[string]bool{}
	for range 50 {
		addr, err := l.Fixed()
		require.NoError(t, err)
		require.False(t, seen[addr], addr)
		seen[addr] = true
		for range 2 { // as a service that is started again does
			ln, err := net.Listen("tcp", addr)
			require.NoError(t, err)
			require.NoError(t, ln.Close())
		}
	}
	ip := net.ParseIP(l.host)
	require.NotNil(t, ip)
	assert.True(t, ip.IsLoopback())
}

func TestLoopbackPassesOverAPortInUse(t *testing.T) {
	l := NewLoopback(rand.New(rand.NewPCG(3, 4)))
	first, err := l.Fixed()
	require.NoError(t, err)
	ln, err := net.Listen("tcp", first)
	require.NoError(t, err)
	defer ln.Close()
	l.next.Add(-1)
	second, err := l.Fixed()
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
}
