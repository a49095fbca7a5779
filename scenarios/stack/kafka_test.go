package stack

import (
	"context"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Two experiments share a broker: each replays its own message, and what the first has made goes without the other's.
func TestKafkaShared(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := serveKafka(t, ctx)
	require.Eventually(t, func() bool { return kafkaReady(ctx, server.String()) == nil }, time.Minute, serverTick)
	c, err := (&kafkaQueue{direct: server.Host}).client(kgo.AllowAutoTopicCreation())
	require.NoError(t, err)
	defer c.Close()
	for prefix, order := range map[string]string{"a.": "O-1", "b.": "O-1"} {
		require.NoError(t, c.ProduceSync(ctx, &kgo.Record{Topic: prefix + "paid", Key: []byte(order), Value: []byte(prefix)}).FirstErr())
	}
	mine, _, err := joinKafka(ctx, server, "a.", "paid")
	require.NoError(t, err)
	n, err := mine.Replay(ctx, "paid", "O-1", 3)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	short, stop := context.WithTimeout(ctx, 100*time.Millisecond)
	defer stop()
	_, err = mine.Replay(short, "paid", "O-2", 1)
	assert.ErrorContains(t, err, "no message of order O-2")

	given := lease{Kind: leaseQueues, Server: server.String(), Name: "a."}
	require.NoError(t, given.end())
	require.NoError(t, given.end(), "what is gone is no error")
	left, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, c)
	require.NoError(t, err)
	var topics []string
	for _, topic := range left.Topics {
		topics = append(topics, *topic.Topic)
	}
	assert.Equal(t, []string{"b.paid"}, topics)
}

// serveKafka is the role kafka, until the test ends.
func serveKafka(t *testing.T, ctx context.Context) *url.URL {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- ServeKafka(ctx, KafkaRole{Listen: ln.Addr().String()}) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	return &url.URL{Scheme: "kafka", Host: ln.Addr().String()}
}
