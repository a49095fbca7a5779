package stack

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing of an experiment, nor of a service whose provider's name is fixed in its code, is sent anywhere but to this machine:
// in a network with the loopback alone, the kernel counts what has no way out.
func TestNoPacketLeavesThisMachine(t *testing.T) {
	if os.Getenv(inNetwork) == "" {
		inOwnNetwork(t)
		return
	}
	loopbackUp(t)
	before := wayless(t)
	t.Run("a service with a fixed host name", func(t *testing.T) {
		s, _, err := ownStack(t, shopWith("https://api.psp.example", "    names: [api.psp.example]\n    tls: true\n"), map[string]string{"schema.sql": shopSchema, "data/seed.txt": ""})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, s.paid(t, "K-0001", "10.50"))
		base, err := s.ClientURL(0)
		require.NoError(t, err)
		resp, err := http.Get(base + "/resolve?name=telemetry.psp.example")
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusNotFound, resp.StatusCode, "a name that is not in its hosts file is not found")
		assert.Equal(t, before, wayless(t), "a packet had no way out")
	})
	assert.Equal(t, before, wayless(t), "a packet had no way out")
	_, err := net.Dial("udp", "192.0.2.1:53")
	require.Error(t, err)
	assert.Greater(t, wayless(t), before, "a packet that would leave is counted")
}

// wayless is how many packets the kernel had to give up in this network because nothing leads where they were to go.
func wayless(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/net/snmp")
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] != "Ip:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names {
			if name == "OutNoRoutes" {
				n, err = strconv.Atoi(fields[i])
				require.NoError(t, err)
				return n + wayless6(t)
			}
		}
	}
	t.Fatal("the kernel does not count packets without a way out")
	return 0
}

func wayless6(t *testing.T) (n int) {
	text, err := os.ReadFile("/proc/self/net/snmp6")
	if err != nil {
		return 0 // no IPv6 here
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Ip6OutNoRoutes") {
			_, err := fmt.Sscan(strings.Fields(line)[1], &n)
			require.NoError(t, err)
		}
	}
	return n
}
