package stack

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDockerServers(t *testing.T) {
	all, err := Docker.Servers(Servers{})
	require.NoError(t, err)
	assert.Equal(t, Servers{DB: "postgres", Cache: "redis", Queue: "rabbitmq"}, all)
	all, err = Docker.Servers(Servers{DB: "mysql"})
	require.NoError(t, err)
	assert.Equal(t, "mysql", all.DB)
	assert.Empty(t, all.Remote(), "what is brought up here is nowhere else")
	all, err = Docker.Servers(Servers{Queue: "kafka"})
	require.NoError(t, err)
	assert.Equal(t, "kafka", all.Queue)
	for says, s := range map[string]Servers{
		"brings its own server up: name its kind (mysql, postgres)": {DB: "postgres://u@127.0.0.1:5432/x"},
		`the runtime docker has no "oracle"; it has mysql`:          {DB: "oracle"},
		`--cache: the runtime docker has no "postgres"`:             {Cache: "postgres"},
	} {
		_, err := Docker.Servers(s)
		assert.ErrorContains(t, err, says)
	}
	_, err = Embedded.Servers(Servers{DB: "postgres"})
	assert.ErrorContains(t, err, "with --runtime docker one is brought up")
}

func TestParseImages(t *testing.T) {
	images, err := ParseImages("postgres=mirror/pg:17,redis=mirror/redis", []string{"postgres=mine:5000/pg"})
	require.NoError(t, err)
	assert.Equal(t, "mine:5000/pg", images.of("postgres", "postgres:17"), "a flag has the last word")
	assert.Equal(t, "mirror/redis", images.of("redis", "redis:7"))
	assert.Equal(t, "rabbitmq:4", images.of("rabbitmq", "rabbitmq:4"), "the public one where none is named")
	images, err = ParseImages("kafka=self", nil)
	require.NoError(t, err)
	assert.Equal(t, ownServer, images.of("kafka", "apache/kafka"))
	for _, bad := range []string{"postgres", "postgres=", "=x", "postgress=x", "postgres=self"} {
		_, err := ParseImages("", []string{bad})
		assert.Error(t, err, bad)
	}
}

// An executable can be an image of its own only where nothing else is needed to run it.
func TestExecutableThatFits(t *testing.T) {
	assert.ErrorContains(t, fits([]byte("MZ of another system"), "x86_64"), "not for Linux")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip("NOT TESTED further: this system has no /proc/self/exe")
	}
	assert.Regexp(t, "the engine for s390x|linked dynamically", fits(self, "s390x")) // the race detector links dynamically
}

func TestUntilGone(t *testing.T) {
	refusals := []string{
		"removing container 5667: Error response from daemon: Could not kill running container 5667, cannot remove - Container 5667 is not running",
		"removing container 5667: Error response from daemon: removal of container 5667 is already in progress",
		"removing network n: Error response from daemon: error while removing network: network n has active endpoints",
		"removing container 5667: Error response from daemon: No such container: 5667",
	}
	asked := 0
	assert.NoError(t, untilGone(t.Context(), func() error { asked++; return errors.New(refusals[asked-1]) }))
	assert.Equal(t, len(refusals), asked, "it is asked until it is gone, and no more")

	asked = 0
	assert.ErrorContains(t, untilGone(t.Context(), func() error { asked++; return errors.New("dial unix: connection refused") }), "refused")
	assert.Equal(t, 1, asked, "an engine that does not answer is not asked again")

	over, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorContains(t, untilGone(over, func() error { return errors.New(refusals[0]) }), "cannot remove", "it says what stood in the way")
}
